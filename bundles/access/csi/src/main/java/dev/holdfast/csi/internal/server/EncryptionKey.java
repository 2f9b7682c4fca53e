package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.LuksKey;
import dev.holdfast.host.LuksSecret;
import io.grpc.Status;
import io.grpc.StatusException;
import java.util.Map;
import java.util.Optional;

/**
 * The secrets of an encrypted volume, from the Secret that a StorageClass names for staging and
 * publishing. With {@code CRYPTO_KEY_VALUE_PREVIOUS}, staging changes the key of a volume that
 * still has the old one.
 */
public final class EncryptionKey {
  private EncryptionKey() {}

  /**
   * Returns the key of an encrypted volume; empty if the call contains no secret.
   *
   * @throws StatusException INVALID_ARGUMENT with the secret's field, never its value
   */
  public static Optional<LuksKey> of(Map<String, String> secrets) throws StatusException {
    try {
      return LuksSecret.key(secrets, "secrets");
    } catch (StorageException e) {
      throw Status.INVALID_ARGUMENT.withDescription(e.getMessage()).withCause(e).asException();
    }
  }

  /** Returns the status of a call that lacks a needed key. */
  public static StatusException missing(String volume) {
    return CsiStatus.invalid(
        "secrets[" + LuksSecret.VALUE + "]",
        "is missing: volume "
            + volume
            + " is encrypted; its StorageClass must name a Secret with it in"
            + " csi.storage.k8s.io/node-stage-secret-name and -namespace, and in"
            + " csi.storage.k8s.io/node-publish-secret-name and -namespace");
  }
}
