package dev.holdfast.backup.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Another cluster that writes and deletes backups without content at a target. */
final class ForeignCluster {
  private final ObjectStore target;

  ForeignCluster(ObjectStore target) {
    this.target = target;
  }

  static String folder(String volume) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-512").digest(volume.getBytes(StandardCharsets.UTF_8));
      String text = HexFormat.of().formatHex(hash);
      return "backupstore/volumes/"
          + text.substring(0, 2)
          + "/"
          + text.substring(2, 4)
          + "/"
          + volume
          + "/";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static String config(String volume, String backup) {
    return folder(volume) + "backups/backup_" + backup + ".cfg";
  }

  void put(String key, String text) throws StorageException {
    target.put(
        key, List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))), PutOptions.REPLACE);
  }

  /** Makes a complete backup, the newest of its volume. */
  void backUp(String volume, String backup) throws StorageException {
    backUp(volume, backup, "db");
  }

  void backUp(String volume, String backup, String label) throws StorageException {
    describe(volume, backup);
    put(
        config(volume, backup),
        """
        {"Name":"%s","VolumeName":"%s","SnapshotName":"snap","SnapshotCreatedAt":"2026-11-20T23:22:58Z",
        "CreatedTime":"2026-11-20T23:23:00Z","Size":"0","Labels":{"app":"%s"},
        "Parameters":{"backup-block-size":"2097152"},"CompressionMethod":"lz4","Blocks":[]}"""
            .formatted(backup, volume, label));
  }

  /** Announces a backup that is not complete. */
  void begin(String volume, String backup) throws StorageException {
    describe(volume, "");
    put(
        config(volume, backup),
        """
        {"Name":"%s","VolumeName":"%s","SnapshotName":"snap","SnapshotCreatedAt":"2026-11-20T23:22:58Z",
        "CreatedTime":"","Size":"0","Labels":null,"Parameters":null,"CompressionMethod":"lz4","Blocks":null}"""
            .formatted(backup, volume));
  }

  /** Makes an empty backup with small blocks, so that later backups have small blocks too. */
  void beginSmall(String volume, String backup) throws StorageException {
    describe(volume, backup);
    put(
        config(volume, backup),
        """
        {"Name":"%s","VolumeName":"%s","SnapshotName":"s","SnapshotCreatedAt":"2026-11-20T23:22:58Z",
        "CreatedTime":"2026-11-20T23:23:00Z","Size":"0","Labels":null,
        "Parameters":{"backup-block-size":"65536"},"CompressionMethod":"lz4","Blocks":[]}"""
            .formatted(backup, volume));
  }

  void describe(String volume, String last) throws StorageException {
    put(
        folder(volume) + "volume.cfg",
        """
        {"Name":"%s","Size":"8388608","CreatedTime":"2026-11-20T23:00:00Z","LastBackupName":"%s"}"""
            .formatted(volume, last));
  }

  void delete(String volume, String backup) throws StorageException {
    target.delete(List.of(config(volume, backup)));
  }

  void deleteVolume(String volume) throws StorageException {
    target.list(folder(volume), "", object -> target.delete(List.of(object.key())));
  }
}
