package dev.holdfast.backupstore;

import java.io.Serializable;
import java.util.Objects;

/**
 * A block that a backup needs and the target does not have, or has with other bytes.
 *
 * @param offset of its first byte in the volume
 * @param length in bytes
 * @param key of its object on the target, not null
 * @param reason why it cannot be used, not null
 */
public record DamagedBlock(long offset, int length, String key, String reason)
    implements Serializable {
  /** Checks the components. */
  public DamagedBlock {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(reason, "reason");
  }

  @Override
  public String toString() {
    return "offset " + offset + ", " + length + " bytes, object " + key + ": " + reason;
  }
}
