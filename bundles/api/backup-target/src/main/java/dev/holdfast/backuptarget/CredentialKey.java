package dev.holdfast.backuptarget;

import java.util.Objects;

/**
 * A value that a target reads from its secret.
 *
 * @param name of the key in the secret, not null
 * @param secret whether the value must never be shown
 * @param description what the value is, one sentence, not null
 */
public record CredentialKey(String name, boolean secret, String description) {
  /** Checks the components. */
  public CredentialKey {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(description, "description");
  }
}
