package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LuksVolumeKey;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts or decrypts sectors as dm-crypt does with {@code aes-xts-plain64} (IEEE 1619): each
 * sector by itself, with its number in units of 512 bytes. For one thread.
 */
final class XtsCipher {
  /** The one cipher that it knows. */
  static final String NAME = "aes-xts-plain64";

  private static final int BLOCK = 16;
  private static final int UNIT = 512;
  private static final int LARGEST_SECTOR = 4096;
  private static final long FEEDBACK = 0x87;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Cipher data;
  private final Cipher tweak;
  private final int sectorSize;

  private XtsCipher(Cipher data, Cipher tweak, int sectorSize) {
    this.data = data;
    this.tweak = tweak;
    this.sectorSize = sectorSize;
  }

  static XtsCipher encrypting(LuksVolumeKey key) throws StorageException {
    return of(key, Cipher.ENCRYPT_MODE);
  }

  static XtsCipher decrypting(LuksVolumeKey key) throws StorageException {
    return of(key, Cipher.DECRYPT_MODE);
  }

  private static XtsCipher of(LuksVolumeKey key, int mode) throws StorageException {
    int size = key.sectorSize();
    boolean sector = size >= UNIT && size <= LARGEST_SECTOR && Integer.bitCount(size) == 1;
    if (!key.cipher().equals(NAME) || !sector) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "LUKS content with cipher "
              + key.cipher()
              + " in sectors of "
              + size
              + " bytes: only "
              + NAME
              + " is supported");
    }
    int half = key.key().length / 2;
    try {
      return new XtsCipher(
          aes(Arrays.copyOf(key.key(), half), mode),
          aes(Arrays.copyOfRange(key.key(), half, 2 * half), Cipher.ENCRYPT_MODE),
          size);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "LUKS content with a key of "
              + key.key().length * 8
              + " bits: only 256 and 512 are"
              + " supported",
          e);
    }
  }

  private static Cipher aes(byte[] key, int mode) throws GeneralSecurityException {
    // XTS is made of single blocks; each one is masked by its own tweak.
    Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
    cipher.init(mode, new SecretKeySpec(key, "AES"));
    return cipher;
  }

  int sectorSize() {
    return sectorSize;
  }

  /**
   * Transforms whole sectors in place.
   *
   * @param offset of the first one in the content, a multiple of the sector size
   * @param bytes whose first ones are the sectors
   * @param length a multiple of the sector size
   */
  void transform(long offset, byte[] bytes, int length) throws StorageException {
    try {
      long[] masks = masks(offset, length);
      mask(bytes, masks);
      data.doFinal(bytes, 0, length, bytes, 0);
      mask(bytes, masks);
    } catch (GeneralSecurityException e) {
      throw new StorageException(ErrorCode.INTERNAL, "AES-XTS failed", e);
    }
  }

  private long[] masks(long offset, int length) throws GeneralSecurityException {
    byte[] starts = new byte[length / sectorSize * BLOCK];
    for (int sector = 0; sector < length / sectorSize; sector++) {
      LONGS.set(starts, sector * BLOCK, (offset + (long) sector * sectorSize) / UNIT);
    }
    tweak.doFinal(starts, 0, starts.length, starts, 0);
    long[] masks = new long[length / Long.BYTES];
    for (int at = 0, sector = 0; at < masks.length; sector++) {
      long low = (long) LONGS.get(starts, sector * BLOCK);
      long high = (long) LONGS.get(starts, sector * BLOCK + Long.BYTES);
      for (int end = at + sectorSize / Long.BYTES; at < end; at += 2) {
        masks[at] = low;
        masks[at + 1] = high;
        long carry = high >> 63 & FEEDBACK;
        high = high << 1 | low >>> 63;
        low = low << 1 ^ carry;
      }
    }
    return masks;
  }

  private static void mask(byte[] bytes, long[] masks) {
    for (int i = 0; i < masks.length; i++) {
      int at = i * Long.BYTES;
      LONGS.set(bytes, at, (long) LONGS.get(bytes, at) ^ masks[i]);
    }
  }
}
