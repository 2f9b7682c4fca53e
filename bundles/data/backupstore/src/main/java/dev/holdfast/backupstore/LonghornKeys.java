package dev.holdfast.backupstore;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Keys of the objects of a volume in Longhorn's layout, below two folders named by the hash of its
 * name.
 */
final class LonghornKeys {
  static final String VOLUMES = "backupstore/volumes/";
  static final String BACKUP_PREFIX = "backup_";
  static final String CONFIG_SUFFIX = ".cfg";
  static final String VOLUME_CONFIG = "volume.cfg";

  /** Characters of a SHA-512 in hex that name a block. */
  private static final int CHECKSUM_LENGTH = 64;

  private LonghornKeys() {}

  static String volumeFolder(String volume) {
    String hash = sha512(volume.getBytes(StandardCharsets.UTF_8));
    return VOLUMES + hash.substring(0, 2) + "/" + hash.substring(2, 4) + "/" + volume + "/";
  }

  static String volumeConfig(String volume) {
    return volumeFolder(volume) + VOLUME_CONFIG;
  }

  static String backupsFolder(String volume) {
    return volumeFolder(volume) + "backups/";
  }

  static String backupConfig(BackupName name) {
    return backupsFolder(name.volume()) + BACKUP_PREFIX + name.backup() + CONFIG_SUFFIX;
  }

  static String blocksFolder(String volume) {
    return volumeFolder(volume) + "blocks/";
  }

  static String locksFolder(String volume) {
    return volumeFolder(volume) + "locks/";
  }

  static String block(String volume, String checksum) {
    return blocksFolder(volume)
        + checksum.substring(0, 2)
        + "/"
        + checksum.substring(2, 4)
        + "/"
        + checksum
        + ".blk";
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-512");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String sha512(byte[] bytes) {
    return HexFormat.of().formatHex(digest().digest(bytes));
  }

  /** Returns the name of a block from the complete hash of its bytes. */
  static String checksum(byte[] hash) {
    return HexFormat.of().formatHex(hash).substring(0, CHECKSUM_LENGTH);
  }

  static boolean isChecksum(String text) {
    return text.length() == CHECKSUM_LENGTH && text.matches("[0-9a-f]+");
  }
}
