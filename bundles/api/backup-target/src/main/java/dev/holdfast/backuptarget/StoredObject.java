package dev.holdfast.backuptarget;

import java.time.Instant;
import java.util.Objects;

/**
 * An object as the target describes it.
 *
 * @param key of the object, not null
 * @param size in bytes, not negative
 * @param tag changes with each change of the object, not null
 * @param modified time of the last change by the clock of the target, not null
 */
public record StoredObject(String key, long size, String tag, Instant modified) {
  /** Checks the components. */
  public StoredObject {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(tag, "tag");
    Objects.requireNonNull(modified, "modified");
    if (size < 0) {
      throw new IllegalArgumentException("size " + size + ": must not be negative");
    }
  }
}
