package dev.holdfast.host;

/**
 * Cipher, key and place of the encrypted content of a LUKS container.
 *
 * @param cipher cipher in the notation of cryptsetup(8), such as {@code aes-xts-plain64}
 * @param key the volume key itself; the caller must not change it
 * @param offset offset of the content in the container in bytes
 * @param sectorSize bytes that are encrypted at a time, 512 to 4096
 */
@SuppressWarnings("ArrayRecordComponent") // compared by no caller
public record LuksVolumeKey(String cipher, byte[] key, long offset, int sectorSize) {

  /** Omits the key, because records are printed in errors. */
  @Override
  public String toString() {
    return "LuksVolumeKey[" + cipher + ", " + offset + ", " + sectorSize + "]";
  }
}
