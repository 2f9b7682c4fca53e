package dev.holdfast.cli;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.VolumeQos;
import picocli.CommandLine.Option;

/** Limits for the clients of a volume; those that are not given stay as they are. */
final class LimitOptions {
  @Option(names = "--iops", paramLabel = "N", description = "Requests a second; 0 for no limit.")
  private Long iops;

  @Option(
      names = "--bandwidth",
      paramLabel = "AMOUNT",
      description = "Bytes a second, for example 100Mi; 0 for no limit.")
  private Quantity bandwidth;

  @Option(names = "--read-iops", paramLabel = "N", description = "Reads a second.")
  private Long readIops;

  @Option(names = "--read-bandwidth", paramLabel = "AMOUNT", description = "Bytes read a second.")
  private Quantity readBandwidth;

  @Option(names = "--write-iops", paramLabel = "N", description = "Writes a second.")
  private Long writeIops;

  @Option(
      names = "--write-bandwidth",
      paramLabel = "AMOUNT",
      description = "Bytes written a second.")
  private Quantity writeBandwidth;

  @Option(
      names = "--burst",
      paramLabel = "SECONDS",
      description = "How long unused allowance is kept. Default: 1.")
  private Integer burst;

  /** Returns limits with what was given. */
  VolumeQos applyTo(VolumeQos present) {
    return new VolumeQos(
        given(iops, present.iops()),
        given(bandwidth, present.bandwidth()),
        given(readIops, present.readIops()),
        given(readBandwidth, present.readBandwidth()),
        given(writeIops, present.writeIops()),
        given(writeBandwidth, present.writeBandwidth()),
        burst == null ? present.burstSeconds() : burst);
  }

  private static long given(Long option, long present) {
    return option == null ? present : option;
  }

  private static Quantity given(Quantity option, Quantity present) {
    return option == null ? present : option;
  }
}
