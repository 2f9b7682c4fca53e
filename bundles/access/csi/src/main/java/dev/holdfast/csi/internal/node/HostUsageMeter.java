package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Asks the host's filesystems and devices how full they are. */
final class HostUsageMeter implements UsageMeter {
  private static final Duration SHORT = Duration.ofSeconds(60);

  @Override
  public Csi.NodeGetVolumeStatsResponse measure(StagedVolume record, String path)
      throws StorageException {
    return record.block() ? device(record.device()) : filesystem(path);
  }

  private static Csi.NodeGetVolumeStatsResponse device(String device) throws StorageException {
    return Csi.NodeGetVolumeStatsResponse.newBuilder()
        .addUsage(
            Csi.VolumeUsage.newBuilder()
                .setUnit(Csi.VolumeUsage.Unit.BYTES)
                .setTotal(NodeStaging.size(device)))
        .build();
  }

  private static Csi.NodeGetVolumeStatsResponse filesystem(String path) throws StorageException {
    long[] numbers = statistics(path);
    long block = numbers[0];
    return Csi.NodeGetVolumeStatsResponse.newBuilder()
        .addUsage(
            usage(
                Csi.VolumeUsage.Unit.BYTES,
                numbers[1] * block,
                numbers[2] * block,
                numbers[3] * block))
        .addUsage(usage(Csi.VolumeUsage.Unit.INODES, numbers[4], numbers[5], numbers[5]))
        .build();
  }

  private static Csi.VolumeUsage usage(
      Csi.VolumeUsage.Unit unit, long total, long free, long available) {
    return Csi.VolumeUsage.newBuilder()
        .setUnit(unit)
        .setTotal(total)
        .setUsed(total - free)
        .setAvailable(available)
        .build();
  }

  /** Java knows nothing of inodes. */
  private static long[] statistics(String path) throws StorageException {
    String stat = HostProgram.require("stat", "coreutils").toString();
    String text =
        HostProgram.check(
            SHORT, List.of(stat, "--file-system", "--format=%S %b %f %a %c %d", path));
    try {
      return Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    } catch (NumberFormatException e) {
      throw new StorageException(ErrorCode.IO, "stat answered \"" + text + "\"", e);
    }
  }
}
