package dev.holdfast.csi.internal.server;

import dev.holdfast.host.LuksKey;
import io.grpc.StatusException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The secrets of an encrypted volume, by the names that users of Longhorn know: of the Secret that
 * a StorageClass names for staging and for publishing. Ours in addition is {@code
 * CRYPTO_KEY_VALUE_PREVIOUS}: with it, staging changes the key of a volume that still has the old
 * one.
 */
public final class EncryptionKey {
  static final String VALUE = "CRYPTO_KEY_VALUE";
  static final String PREVIOUS = "CRYPTO_KEY_VALUE_PREVIOUS";
  private static final String PROVIDER = "CRYPTO_KEY_PROVIDER";
  private static final String CIPHER = "CRYPTO_KEY_CIPHER";
  private static final String HASH = "CRYPTO_KEY_HASH";
  private static final String SIZE = "CRYPTO_KEY_SIZE";
  private static final String PBKDF = "CRYPTO_PBKDF";
  private static final Set<String> PBKDFS = Set.of("argon2id", "argon2i", "pbkdf2");
  private static final String WORD = "[A-Za-z0-9_:.-]+";

  private EncryptionKey() {}

  /**
   * Returns the key of an encrypted volume; empty when no secret came with the call.
   *
   * @throws StatusException INVALID_ARGUMENT naming the secret's field, never its value
   */
  public static Optional<LuksKey> of(Map<String, String> secrets) throws StatusException {
    if (!secrets.containsKey(VALUE)) {
      return Optional.empty();
    }
    String value = secrets.get(VALUE);
    if (value.isEmpty()) {
      throw wrong(VALUE, "is empty");
    }
    if (!secrets.getOrDefault(PROVIDER, "secret").equals("secret")) {
      throw wrong(PROVIDER, "is not known; known is secret");
    }
    String pbkdf = secrets.getOrDefault(PBKDF, "argon2id");
    if (!PBKDFS.contains(pbkdf)) {
      throw wrong(PBKDF, "must be argon2id, argon2i or pbkdf2");
    }
    return Optional.of(
        new LuksKey(
            value,
            Optional.ofNullable(secrets.get(PREVIOUS)).filter(previous -> !previous.isEmpty()),
            word(secrets, CIPHER, "aes-xts-plain64"),
            word(secrets, HASH, "sha256"),
            bits(secrets.getOrDefault(SIZE, "256")),
            pbkdf));
  }

  private static String word(Map<String, String> secrets, String name, String otherwise)
      throws StatusException {
    String word = secrets.getOrDefault(name, otherwise);
    if (!word.matches(WORD) || word.startsWith("-")) {
      throw wrong(name, "must be a name that cryptsetup knows, such as " + otherwise);
    }
    return word;
  }

  private static int bits(String text) throws StatusException {
    if (!text.matches("[0-9]{2,4}")) {
      throw wrong(SIZE, "must be a number of bits, such as 256");
    }
    return Integer.parseInt(text);
  }

  private static StatusException wrong(String name, String problem) {
    return CsiStatus.invalid("secrets[" + name + "]", problem);
  }

  /** Returns what a call without a needed key is told. */
  public static StatusException missing(String volume) {
    return CsiStatus.invalid(
        "secrets[" + VALUE + "]",
        "is missing: volume "
            + volume
            + " is encrypted; its StorageClass must name a Secret with it in"
            + " csi.storage.k8s.io/node-stage-secret-name and -namespace, and in"
            + " csi.storage.k8s.io/node-publish-secret-name and -namespace");
  }
}
