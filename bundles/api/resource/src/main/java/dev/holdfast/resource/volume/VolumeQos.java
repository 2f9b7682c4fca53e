package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * Limits for the requests of a volume's clients; 0 means no limit. A request counts against the
 * limit of its direction and against the common limit.
 *
 * @param iops requests per second
 * @param bandwidth bytes per second
 * @param readIops reads per second
 * @param readBandwidth bytes read per second
 * @param writeIops writes, trims and zeroings per second
 * @param writeBandwidth bytes written per second
 * @param burstSeconds number of seconds for which unused allowance is saved for a burst, 1 to 3600
 */
@RecordBuilder
public record VolumeQos(
    long iops,
    Quantity bandwidth,
    long readIops,
    Quantity readBandwidth,
    long writeIops,
    Quantity writeBandwidth,
    Integer burstSeconds)
    implements VolumeQosBuilder.With {
  /** No limits. */
  public static final VolumeQos EMPTY = new VolumeQos(0, null, 0, null, 0, null, null);

  private static final int LONGEST_BURST = 3600;

  /** Replaces null components by their defaults. */
  public VolumeQos {
    bandwidth = Defaults.or(bandwidth, Quantity.ZERO);
    readBandwidth = Defaults.or(readBandwidth, Quantity.ZERO);
    writeBandwidth = Defaults.or(writeBandwidth, Quantity.ZERO);
    burstSeconds = Defaults.or(burstSeconds, 1);
  }

  List<FieldError> validate(String path) {
    return new Checks()
        .that(iops >= 0, path + ".iops", iops, "must not be negative")
        .that(readIops >= 0, path + ".readIops", readIops, "must not be negative")
        .that(writeIops >= 0, path + ".writeIops", writeIops, "must not be negative")
        .that(
            burstSeconds >= 1 && burstSeconds <= LONGEST_BURST,
            path + ".burstSeconds",
            burstSeconds,
            "must be between 1 and " + LONGEST_BURST)
        .errors();
  }
}
