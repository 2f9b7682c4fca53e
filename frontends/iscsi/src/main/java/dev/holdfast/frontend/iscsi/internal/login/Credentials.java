package dev.holdfast.frontend.iscsi.internal.login;

import java.util.Objects;
import java.util.Optional;

/**
 * How one initiator and the target know each other.
 *
 * @param user the initiator's name in CHAP, not null
 * @param secret the initiator's, not null
 * @param own the target's, when the initiator may ask for it
 */
public record Credentials(String user, String secret, Optional<Own> own) {

  /**
   * Name and secret of the target.
   *
   * @param user its name in CHAP, not null
   * @param secret not null; another than the initiator's
   */
  public record Own(String user, String secret) {
    /** Checks the parts. */
    public Own {
      Objects.requireNonNull(user, "user");
      Objects.requireNonNull(secret, "secret");
    }

    @Override
    public String toString() {
      return user;
    }
  }

  /** Checks the parts. */
  public Credentials {
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(secret, "secret");
    Objects.requireNonNull(own, "own");
  }

  /** Returns the user's name without the secret. */
  @Override
  public String toString() {
    return user;
  }
}
