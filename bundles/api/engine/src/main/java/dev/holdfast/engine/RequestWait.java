package dev.holdfast.engine;

import java.util.Objects;

/**
 * Cause for which requests of an open volume wait. They do not fail, and continue when it ends.
 *
 * @param reason one word in upper camel case, for programs; not empty
 * @param message for a person: what is waited for, since when and until when as far as it is known,
 *     and the remedy; not empty
 * @since 2.2
 */
public record RequestWait(String reason, String message) {
  /** Checks that both are there. */
  public RequestWait {
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(message, "message");
    if (reason.isEmpty() || message.isEmpty()) {
      throw new IllegalArgumentException("reason \"" + reason + "\", message \"" + message + "\"");
    }
  }
}
