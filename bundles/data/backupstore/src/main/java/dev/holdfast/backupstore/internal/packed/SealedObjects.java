package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The encrypted form of an object: AES-256-GCM in parts of 64 KiB, so that a range can be read. The
 * key of an object comes from the data key and a random salt. A part authenticates the key of its
 * object, its number, and whether it is the last one. Immutable, thread-safe.
 *
 * <pre>
 *   magic 8 | salt 32 | for each part, at least one: bytes, tag 16
 * </pre>
 */
final class SealedObjects {
  static final byte[] MAGIC = "HFENC01\n".getBytes(StandardCharsets.US_ASCII);
  static final int SALT = 32;
  static final int HEADER = 8 + SALT;
  static final int PART = 64 << 10;
  static final int TAG = 16;
  static final int STORED_PART = PART + TAG;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final byte[] PURPOSE = "holdfast object 1".getBytes(StandardCharsets.US_ASCII);

  private final byte[] dataKey;

  SealedObjects(byte[] dataKey) {
    this.dataKey = dataKey.clone();
  }

  /** Returns how many parts an object of a stored size has. */
  static long parts(long stored) {
    return Math.max(1, (stored - HEADER + STORED_PART - 1) / STORED_PART);
  }

  /** Returns how many bytes an object of a stored size has; 0 for an impossible size. */
  static long plainSize(long stored) {
    return Math.max(0, stored - HEADER - parts(stored) * TAG);
  }

  /** Returns the stored form of an object. */
  List<ByteBuffer> seal(String key, List<ByteBuffer> content) throws StorageException {
    long size = content.stream().mapToLong(ByteBuffer::remaining).sum();
    byte[] salt = new byte[SALT];
    RANDOM.nextBytes(salt);
    SecretKeySpec objectKey = objectKey(salt);
    List<ByteBuffer> stored = new ArrayList<>();
    stored.add(ByteBuffer.allocate(HEADER).put(MAGIC).put(salt).flip());
    List<ByteBuffer> rest = content.stream().map(ByteBuffer::duplicate).toList();
    int next = 0;
    long parts = Math.max(1, (size + PART - 1) / PART);
    for (long number = 0; number < parts; number++) {
      int length = (int) Math.min(PART, size - number * PART);
      ByteBuffer plain = ByteBuffer.allocate(length);
      while (plain.hasRemaining()) {
        ByteBuffer from = rest.get(next);
        if (!from.hasRemaining()) {
          next++;
          continue;
        }
        int count = Math.min(from.remaining(), plain.remaining());
        plain.put(from.slice().limit(count));
        from.position(from.position() + count);
      }
      ByteBuffer part = ByteBuffer.allocate(length + TAG);
      try {
        cipher(Cipher.ENCRYPT_MODE, objectKey, key, number, number == parts - 1)
            .doFinal(plain.flip(), part);
      } catch (GeneralSecurityException e) {
        throw new StorageException(ErrorCode.INTERNAL, key + ": cannot be encrypted: " + e, e);
      }
      stored.add(part.flip());
    }
    return stored;
  }

  /** Returns the key of an object from its first bytes. */
  SecretKeySpec objectKey(String key, ByteBuffer header) throws StorageException {
    byte[] magic = new byte[MAGIC.length];
    byte[] salt = new byte[SALT];
    header.get(magic).get(salt);
    if (!Arrays.equals(magic, MAGIC)) {
      throw new StorageException(
          ErrorCode.IO, key + ": is not encrypted, or its first bytes were altered");
    }
    return objectKey(salt);
  }

  private SecretKeySpec objectKey(byte[] salt) {
    return new SecretKeySpec(WrappingKeys.derived(dataKey, PURPOSE, salt), "AES");
  }

  /** Decrypts a part. */
  ByteBuffer open(SecretKeySpec objectKey, String key, long number, boolean last, ByteBuffer stored)
      throws StorageException {
    try {
      ByteBuffer plain = ByteBuffer.allocate(Math.max(0, stored.remaining() - TAG));
      cipher(Cipher.DECRYPT_MODE, objectKey, key, number, last).doFinal(stored, plain);
      return plain.flip();
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.IO,
          key + ": its bytes from offset " + number * PART + " were altered or exchanged",
          e);
    }
  }

  private static Cipher cipher(
      int mode, SecretKeySpec objectKey, String key, long number, boolean last)
      throws GeneralSecurityException {
    ByteBuffer nonce = ByteBuffer.allocate(WrappingKeys.NONCE).putInt(last ? 1 : 0).putLong(number);
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, objectKey, new GCMParameterSpec(WrappingKeys.TAG_BITS, nonce.array()));
    cipher.updateAAD(key.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
