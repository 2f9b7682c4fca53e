package dev.holdfast.frontend;

import java.util.Objects;
import java.util.Optional;

/**
 * Secret that an initiator shares with the targets.
 *
 * @param user name of the initiator in the protocol of the secret, not null
 * @param secret secret of the initiator, not null
 * @param own secret of the targets, if the initiator may require mutual authentication, not null
 * @since 2.2
 */
public record ClientSecret(String user, String secret, Optional<String> own) {

  /** Kinds of secrets. */
  public enum Kind {
    /** CHAP of iSCSI (RFC 7143, 12.1.3). */
    CHAP,
    /** DH-HMAC-CHAP of NVMe over Fabrics: a text that begins with {@code DHHC-1:}. */
    DHCHAP,
    /** Pre-shared key of TLS over NVMe/TCP: a text that begins with {@code NVMeTLSkey-1:}. */
    TLS
  }

  /** Rejects null components. */
  public ClientSecret {
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(secret, "secret");
    Objects.requireNonNull(own, "own");
  }

  /** Returns a text without the secrets. */
  @Override
  public String toString() {
    return "a secret of " + user;
  }
}
