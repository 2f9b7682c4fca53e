package dev.holdfast.engine;

import java.util.Objects;

/**
 * Content of a replica above a base on its disk. The replica reads as the base, and as zeroes
 * beyond the base's end. Needs {@link EngineCapability#BASES}.
 *
 * <p>Provisioning fails with NOT_FOUND when the base is absent or not sealed, with INVALID when the
 * volume is smaller than the base, and with INVALID when the base's content checksum differs from
 * the location's or the base was altered.
 *
 * @param base place of the base on the replica's disk, with the required content checksum; not null
 * @since 2.2
 */
public record BaseContent(BaseLocation base) implements InitialContent {
  /** Rejects null components and a location without a content checksum. */
  public BaseContent {
    Objects.requireNonNull(base, "base");
    if (base.contentChecksum().isEmpty()) {
      throw new IllegalArgumentException("base.contentChecksum: must not be empty");
    }
  }
}
