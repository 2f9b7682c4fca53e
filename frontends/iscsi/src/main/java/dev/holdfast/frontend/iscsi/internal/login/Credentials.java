package dev.holdfast.frontend.iscsi.internal.login;

import java.util.Objects;
import java.util.Optional;

/**
 * Credentials by which one initiator and the target authenticate each other.
 *
 * @param user the initiator's CHAP name, not null
 * @param secret the initiator's secret, not null
 * @param own the target's credentials, if the initiator may request them
 */
public record Credentials(String user, String secret, Optional<Own> own) {

  /**
   * Name and secret of the target.
   *
   * @param user its CHAP name, not null
   * @param secret its secret, not null; differs from the initiator's
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
