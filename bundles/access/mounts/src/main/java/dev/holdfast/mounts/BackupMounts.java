package dev.holdfast.mounts;

import dev.holdfast.client.Waiting;
import dev.holdfast.client.backup.VolumeBackups;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.store.ResourceStore;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Exports backups for mounts of their filesystems, and withdraws these exports. */
final class BackupMounts {
  /** Prefix of keys; volume names do not contain two consecutive dots. */
  private static final String PREFIX = "backup..";

  private final ResourceStore store;
  private final VolumeBackups backups;

  BackupMounts(ResourceStore store) {
    this.store = store;
    this.backups = new VolumeBackups(store);
  }

  /** Returns the key under which this host records its actions for a backup. */
  static String keyOf(String backup) {
    return PREFIX + backup;
  }

  /** Returns the record that is written before the mount. */
  MountRecord plan(String name, Path point) throws StorageException {
    Backup backup = backups.get(name);
    boolean exports = !backup.spec().exported();
    return new MountRecord(keyOf(name), point.toString(), "", "", "", exports, "", false, "", name);
  }

  /**
   * Exports a backup and returns its address.
   *
   * @param node node of the export, empty for any
   */
  URI export(String name, Optional<String> node, Waiting waiting) throws StorageException {
    Backup exported = backups.export(name, Optional.empty(), node, waiting);
    return URI.create(exported.status().endpoint());
  }

  /** Returns options of mount(8) that prevent all writes, including the replay of a journal. */
  static List<String> options(String type) {
    if (type.equals(Filesystem.XFS.toString())) {
      return List.of("ro", "norecovery", "nouuid");
    }
    return type.equals(Filesystem.EXT4.toString()) ? List.of("ro", "noload") : List.of("ro");
  }

  /** Withdraws the export of a mount; ignores a deleted backup. */
  void release(MountRecord mounted) throws StorageException {
    boolean present = store.get(Backup.KIND, mounted.backup()).isPresent();
    if (mounted.ownsTicket() && present) {
      var unused = backups.withdraw(mounted.backup());
    }
  }
}
