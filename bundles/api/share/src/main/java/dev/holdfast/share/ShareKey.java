package dev.holdfast.share;

import java.util.Objects;
import java.util.Optional;

/**
 * Key of an encrypted volume.
 *
 * @param value the passphrase, not empty
 * @param previous the passphrase before it, which opens a device whose key was not changed yet
 */
public record ShareKey(String value, Optional<String> previous) {
  /** Checks that nothing is missing. */
  public ShareKey {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(previous, "previous");
  }

  /** Tells nothing of the passphrases: records are printed where something fails. */
  @Override
  public String toString() {
    return "ShareKey[]";
  }
}
