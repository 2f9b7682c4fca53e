package dev.holdfast.backupstore.internal;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A folder of blocks that backups share. A block is named by the first 64 hexadecimal digits of the
 * SHA-512 of its bytes before compression.
 *
 * @param folder key prefix of all blocks, with a slash at its end, not null
 */
public record BlockPool(String folder) {
  private static final int CHECKSUM_LENGTH = 64;
  private static final String SUFFIX = ".blk";

  /** Returns the key of a block. */
  public String key(String checksum) {
    return folder
        + checksum.substring(0, 2)
        + "/"
        + checksum.substring(2, 4)
        + "/"
        + checksum
        + SUFFIX;
  }

  /** Returns the checksum of the block that has a key, empty for another object. */
  public String checksum(String key) {
    String name = key.substring(key.lastIndexOf('/') + 1);
    if (!name.endsWith(SUFFIX)) {
      return "";
    }
    String checksum = name.substring(0, name.length() - SUFFIX.length());
    return isChecksum(checksum) && key(checksum).equals(key) ? checksum : "";
  }

  /** Returns a new SHA-512, which names blocks. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-512");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the name of a block from the complete hash of its bytes. */
  public static String checksum(byte[] hash) {
    return HexFormat.of().formatHex(hash).substring(0, CHECKSUM_LENGTH);
  }

  /** Returns whether a text is the name of a block. */
  static boolean isChecksum(String text) {
    return text.length() == CHECKSUM_LENGTH && text.matches("[0-9a-f]+");
  }
}
