package dev.holdfast.share.nfs.internal.volume;

import dev.holdfast.initiator.BlockDevices;
import java.util.Optional;

/**
 * Requests to a block device as the kernel counts them (Documentation/block/stat.rst).
 *
 * @param completed reads, writes, discards and flushes that have ended
 * @param waiting requests that have not ended
 */
public record DeviceRequests(long completed, long waiting) {
  private static final int READS = 0;
  private static final int WRITES = 4;
  private static final int IN_FLIGHT = 8;
  private static final int DISCARDS = 11;
  private static final int FLUSHES = 15;

  /**
   * Reads the counters of a device, empty when it is not there.
   *
   * @param device such as {@code /dev/loop0}
   */
  static Optional<DeviceRequests> of(String device) {
    return BlockDevices.attribute(BlockDevices.name(device), "stat").map(DeviceRequests::parse);
  }

  /** Kernels before 5.5 count no flushes, those before 4.18 no discards. */
  static DeviceRequests parse(String counters) {
    String[] fields = counters.strip().split("\\s+", -1);
    return new DeviceRequests(
        counter(fields, READS)
            + counter(fields, WRITES)
            + counter(fields, DISCARDS)
            + counter(fields, FLUSHES),
        counter(fields, IN_FLIGHT));
  }

  private static long counter(String[] fields, int index) {
    return index < fields.length ? Long.parseLong(fields[index]) : 0;
  }

  /** Returns whether requests wait, and none has ended between two times. */
  public static boolean hang(Optional<DeviceRequests> before, Optional<DeviceRequests> after) {
    return before.isPresent()
        && after.isPresent()
        && after.get().waiting() > 0
        && after.get().completed() == before.get().completed();
  }
}
