package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The key of an encrypted device as the values of a secret, with Longhorn's names. Our addition is
 * {@code CRYPTO_KEY_VALUE_PREVIOUS}, the passphrase before a change.
 */
public final class LuksSecret {
  /** Name of the value with the passphrase. */
  public static final String VALUE = "CRYPTO_KEY_VALUE";

  private static final String PREVIOUS = "CRYPTO_KEY_VALUE_PREVIOUS";
  private static final String PROVIDER = "CRYPTO_KEY_PROVIDER";
  private static final String CIPHER = "CRYPTO_KEY_CIPHER";
  private static final String HASH = "CRYPTO_KEY_HASH";
  private static final String SIZE = "CRYPTO_KEY_SIZE";
  private static final String PBKDF = "CRYPTO_PBKDF";
  private static final Set<String> PBKDFS = Set.of("argon2id", "argon2i", "pbkdf2");
  private static final String WORD = "[A-Za-z0-9_:.-]+";

  private LuksSecret() {}

  /**
   * Returns the key that a secret holds; empty when it has no {@link #VALUE}.
   *
   * @param values values of the secret by name, not null
   * @param object owner of the secret, as the beginning of messages, not null
   * @throws StorageException INVALID; the message names the object and the name, never the value
   */
  public static Optional<LuksKey> key(Map<String, String> values, String object)
      throws StorageException {
    String value = values.get(VALUE);
    if (value == null) {
      return Optional.empty();
    }
    if (value.isEmpty()) {
      throw wrong(object, VALUE, "is empty");
    }
    if (!values.getOrDefault(PROVIDER, "secret").equals("secret")) {
      throw wrong(object, PROVIDER, "is not known; known is secret");
    }
    String pbkdf = values.getOrDefault(PBKDF, "argon2id");
    if (!PBKDFS.contains(pbkdf)) {
      throw wrong(object, PBKDF, "must be argon2id, argon2i or pbkdf2");
    }
    return Optional.of(
        new LuksKey(
            value,
            Optional.ofNullable(values.get(PREVIOUS)).filter(previous -> !previous.isEmpty()),
            word(values, CIPHER, "aes-xts-plain64", object),
            word(values, HASH, "sha256", object),
            bits(values.getOrDefault(SIZE, "256"), object),
            pbkdf));
  }

  private static String word(
      Map<String, String> values, String name, String otherwise, String object)
      throws StorageException {
    String word = values.getOrDefault(name, otherwise);
    if (!word.matches(WORD) || word.startsWith("-")) {
      throw wrong(object, name, "must be a name that cryptsetup knows, such as " + otherwise);
    }
    return word;
  }

  private static int bits(String text, String object) throws StorageException {
    if (!text.matches("[0-9]{2,4}")) {
      throw wrong(object, SIZE, "must be a number of bits, such as 256");
    }
    return Integer.parseInt(text);
  }

  private static StorageException wrong(String object, String name, String problem) {
    return new StorageException(ErrorCode.INVALID, object + "[" + name + "]: " + problem);
  }
}
