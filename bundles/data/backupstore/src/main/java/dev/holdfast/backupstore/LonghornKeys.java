package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockPool;
import java.nio.charset.StandardCharsets;
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

  static String locksFolder(String volume) {
    return volumeFolder(volume) + "locks/";
  }

  /** Returns the blocks of a volume. */
  static BlockPool blocks(String volume) {
    return new BlockPool(volumeFolder(volume) + "blocks/");
  }

  static String block(String volume, String checksum) {
    return blocks(volume).key(checksum);
  }

  private static String sha512(byte[] bytes) {
    return HexFormat.of().formatHex(BlockPool.digest().digest(bytes));
  }
}
