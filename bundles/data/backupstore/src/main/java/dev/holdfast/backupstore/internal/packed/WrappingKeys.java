package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The keys of a secret, which wrap the data key of a target. Texts never contain a key. */
public final class WrappingKeys {
  static final int NONCE = 12;
  static final int TAG_BITS = 128;
  private static final int SHORTEST = 32;
  private static final String PURPOSE = "holdfast backups: wrapping key 1";

  private final String secret;
  private final TreeMap<String, byte[]> keys = new TreeMap<>();

  /**
   * Checks the values of a secret; white space at their ends does not count.
   *
   * @param secret its name, for messages
   * @throws StorageException INVALID for a secret without keys, or with an unsuitable one
   */
  public WrappingKeys(String secret, Map<String, byte[]> values) throws StorageException {
    this.secret = secret;
    for (Map.Entry<String, byte[]> value : values.entrySet()) {
      if (!value.getKey().matches("[A-Za-z0-9._-]{1,64}")) {
        throw invalid("has an entry whose name is not 1 to 64 letters, digits, '.', '_' or '-'");
      }
      byte[] text =
          new String(value.getValue(), StandardCharsets.ISO_8859_1)
              .strip()
              .getBytes(StandardCharsets.ISO_8859_1);
      if (text.length < SHORTEST) {
        throw invalid(
            "entry "
                + value.getKey()
                + " has "
                + text.length
                + " bytes, at least "
                + SHORTEST
                + " required: make one by 'openssl rand -base64 32'");
      }
      keys.put(value.getKey(), derived(text, PURPOSE.getBytes(StandardCharsets.US_ASCII)));
    }
    if (keys.isEmpty()) {
      throw invalid("has no entry: add one by 'openssl rand -base64 32'");
    }
  }

  private StorageException invalid(String what) {
    return new StorageException(ErrorCode.INVALID, "secret " + secret + ": " + what);
  }

  /** Returns the HMAC-SHA256 of a purpose, which is a key for that purpose only. */
  static byte[] derived(byte[] key, byte[]... purpose) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      for (byte[] part : purpose) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the names of the entries, ascending: the last one is the newest. */
  Set<String> ids() {
    return keys.keySet();
  }

  String newest() {
    return keys.lastKey();
  }

  String secret() {
    return secret;
  }

  byte[] wrap(String id, byte[] nonce, byte[] dataKey) {
    try {
      return cipher(Cipher.ENCRYPT_MODE, id, nonce).doFinal(dataKey);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the data key; empty if another value wrapped it. */
  Optional<byte[]> unwrap(String id, byte[] nonce, byte[] wrapped) {
    try {
      return Optional.of(cipher(Cipher.DECRYPT_MODE, id, nonce).doFinal(wrapped));
    } catch (GeneralSecurityException e) {
      return Optional.empty();
    }
  }

  private Cipher cipher(int mode, String id, byte[] nonce) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode,
        new SecretKeySpec(keys.get(id), "AES"),
        new GCMParameterSpec(TAG_BITS, Arrays.copyOf(nonce, NONCE)));
    cipher.updateAAD(("holdfast/v1/keys.json " + id).getBytes(StandardCharsets.US_ASCII));
    return cipher;
  }
}
