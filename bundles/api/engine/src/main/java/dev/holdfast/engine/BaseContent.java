package dev.holdfast.engine;

import java.util.Objects;

/**
 * A replica that stands on a base of its disk: it reads as the base, and as zeroes behind the
 * base's end. Needs {@link EngineCapability#BASES}.
 *
 * <p>Provisioning fails with NOT_FOUND when the base is absent or not sealed, with INVALID when the
 * volume is smaller than the base, and with INVALID when the base has another content checksum than
 * the location or was altered.
 *
 * @param base where it is, on the replica's disk, with the content checksum that it must have; not
 *     null
 * @since 2.2
 */
public record BaseContent(BaseLocation base) implements InitialContent {
  /** Checks that nothing is missing. */
  public BaseContent {
    Objects.requireNonNull(base, "base");
    if (base.contentChecksum().isEmpty()) {
      throw new IllegalArgumentException("base.contentChecksum: must not be empty");
    }
  }
}
