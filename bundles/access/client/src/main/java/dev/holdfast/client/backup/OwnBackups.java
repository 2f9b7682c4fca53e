package dev.holdfast.client.backup;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The backups of all kinds that this cluster made, without those that scans found. */
final class OwnBackups {
  private final ResourceStore store;

  OwnBackups(ResourceStore store) {
    this.store = store;
  }

  /** Returns descriptions of the backups at a target, for messages. */
  List<String> at(String target) throws StorageException {
    Stream<String> volumes =
        found(
                Backup.KIND,
                backup -> backup.spec().backupTargetName().equals(target) && !backup.isDiscovered())
            .map(backup -> "backup " + backup.name());
    Stream<String> images =
        found(
                BackupBackingImage.KIND,
                backup ->
                    backup.spec().backupTargetName().equals(target) && backup.spec().userCreated())
            .map(backup -> "backup of image " + backup.spec().backingImage());
    Stream<String> systems =
        found(
                SystemBackup.KIND,
                backup -> backup.spec().backupTargetName().equals(target) && !backup.isDiscovered())
            .map(backup -> "system backup " + backup.name());
    return Stream.concat(volumes, Stream.concat(images, systems)).toList();
  }

  private <R extends Resource<R>> Stream<R> found(ResourceKind<R> kind, Predicate<R> wanted)
      throws StorageException {
    return store.list(kind, LabelSelector.ALL).items().stream().filter(wanted);
  }
}
