package dev.holdfast.backuptarget;

import java.util.Objects;

/**
 * A value that a target reads from its secret.
 *
 * @param name of the key in the secret, not null
 * @param secret whether the value must never be shown
 * @param description description of the value in one sentence, not null
 */
public record CredentialKey(String name, boolean secret, String description) {
  /** Checks the components. */
  public CredentialKey {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(description, "description");
  }
}
