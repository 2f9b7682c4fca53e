package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Reads the usage of the host's filesystems and devices. */
final class HostUsageMeter implements UsageMeter {
  private static final Duration SHORT = Duration.ofSeconds(60);

  private final Host host;
  private final BlockDeviceSettings devices;

  HostUsageMeter(Host host) {
    this.host = host;
    this.devices = new BlockDeviceSettings(host);
  }

  @Override
  public Csi.NodeGetVolumeStatsResponse measure(StagedVolume record, String path)
      throws StorageException {
    return record.block() ? device(record.device()) : filesystem(path);
  }

  private Csi.NodeGetVolumeStatsResponse device(String device) throws StorageException {
    return Csi.NodeGetVolumeStatsResponse.newBuilder()
        .addUsage(
            Csi.VolumeUsage.newBuilder()
                .setUnit(Csi.VolumeUsage.Unit.BYTES)
                .setTotal(devices.size(device)))
        .build();
  }

  private Csi.NodeGetVolumeStatsResponse filesystem(String path) throws StorageException {
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

  /** Returns counts of inodes, which Java does not provide. */
  private long[] statistics(String path) throws StorageException {
    String stat = host.require("stat", "coreutils");
    String text =
        host.check(
            ProgramCall.of(
                SHORT, List.of(stat, "--file-system", "--format=%S %b %f %a %c %d", path)));
    try {
      return Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    } catch (NumberFormatException e) {
      throw new StorageException(ErrorCode.IO, "stat answered \"" + text + "\"", e);
    }
  }
}
