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

/** Backups whose filesystems are mounted: exports them, and withdraws what mounting exported. */
final class BackupMounts {
  /** No volume has a name with two dots in a row. */
  private static final String PREFIX = "backup..";

  private final ResourceStore store;
  private final VolumeBackups backups;

  BackupMounts(ResourceStore store) {
    this.store = store;
    this.backups = new VolumeBackups(store);
  }

  /** Returns the name under which this host keeps what it did with a backup. */
  static String keyOf(String backup) {
    return PREFIX + backup;
  }

  /** Returns the record that is written before a mount is made. */
  MountRecord plan(String name, Path point) throws StorageException {
    Backup backup = backups.get(name);
    boolean exports = !backup.spec().exported();
    return new MountRecord(keyOf(name), point.toString(), "", "", "", exports, "", false, "", name);
  }

  /**
   * Lets hosts read a backup, and returns where.
   *
   * @param node that serves it, empty for any
   */
  URI export(String name, Optional<String> node, Waiting waiting) throws StorageException {
    Backup exported = backups.export(name, Optional.empty(), node, waiting);
    return URI.create(exported.status().endpoint());
  }

  /**
   * Returns options of mount(8) with which nothing is written: the journal of a filesystem that was
   * in use is not replayed.
   */
  static List<String> options(String type) {
    if (type.equals(Filesystem.XFS.toString())) {
      return List.of("ro", "norecovery", "nouuid");
    }
    return type.equals(Filesystem.EXT4.toString()) ? List.of("ro", "noload") : List.of("ro");
  }

  /** Withdraws what mounting exported; a backup that was deleted is left. */
  void release(MountRecord mounted) throws StorageException {
    boolean present = store.get(Backup.KIND, mounted.backup()).isPresent();
    if (mounted.ownsTicket() && present) {
      var unused = backups.withdraw(mounted.backup());
    }
  }
}
