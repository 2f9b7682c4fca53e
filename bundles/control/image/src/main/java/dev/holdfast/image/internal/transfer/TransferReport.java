package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.image.ImageState;
import java.util.Optional;

/**
 * Progress of a transfer.
 *
 * @param state of the transfer
 * @param size bytes of the file, as far as they are known
 * @param progress percentage of the bytes that have arrived
 * @param checksum SHA-512 of the file once it has arrived
 * @param disk whether the bytes are those of the disk itself, and not of a file of some format
 * @param message cause of a failure
 * @param failure code of a failure
 */
public record TransferReport(
    ImageState state,
    long size,
    int progress,
    String checksum,
    boolean disk,
    String message,
    Optional<ErrorCode> failure) {
  static TransferReport running(long position, long total) {
    int percent = total > 0 ? (int) (position * 100 / total) : 0;
    return new TransferReport(
        position > 0 ? ImageState.IN_PROGRESS : ImageState.STARTING,
        Math.max(position, total),
        percent,
        "",
        false,
        "",
        Optional.empty());
  }

  static TransferReport arrived(long size, String checksum, boolean disk) {
    return new TransferReport(
        ImageState.READY_FOR_TRANSFER, size, 100, checksum, disk, "", Optional.empty());
  }

  static TransferReport failed(ErrorCode code, String message) {
    return new TransferReport(ImageState.FAILED, 0, 0, "", false, message, Optional.of(code));
  }
}
