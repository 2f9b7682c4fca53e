package dev.holdfast.commands.verbs;

import dev.holdfast.backupstore.BackupCatalog;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.StoredVolume;
import dev.holdfast.commands.BackupEntry;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the content of an address item by item. Reports a damaged item and continues with the
 * others. Stops if the target does not answer.
 */
final class BackupReader {
  private final VerbCall call;
  private final BackupAddress address;
  private final BackupCatalog backups;

  BackupReader(VerbCall call, BackupAddress address, BackupCatalog backups) {
    this.call = call;
    this.address = address;
    this.backups = backups;
  }

  /** Reads one item. */
  private interface Reading<T> {
    T read() throws StorageException;
  }

  /** Reads further content of a volume. */
  interface VolumeItem<T> {
    T read(StoredVolume volume) throws StorageException;
  }

  /** Reads one backup of a volume. */
  interface BackupItem<T> {
    T read(StoredVolume volume, BackupName name) throws StorageException;
  }

  /** Reads the selected volumes. */
  <T> List<BackupEntry<T>> volumes(VolumeItem<T> item) throws StorageException {
    List<BackupEntry<T>> entries = new ArrayList<>();
    for (String name : volumeNames()) {
      boolean named = address.volume().isPresent();
      entries.add(entry(named, name, "", () -> item.read(backups.volume(name))));
    }
    return entries;
  }

  /** Reads the selected backups. An unreadable volume is an entry without a name. */
  <T> List<BackupEntry<T>> backups(BackupItem<T> item) throws StorageException {
    List<BackupEntry<T>> entries = new ArrayList<>();
    for (BackupEntry<StoredVolume> volume : this.<StoredVolume>volumes(found -> found)) {
      if (volume.content().isEmpty()) {
        entries.add(new BackupEntry<>(volume.volume(), "", Optional.empty(), volume.problem()));
        continue;
      }
      for (BackupName name : backupNames(volume.volume())) {
        boolean named = address.backup().isPresent();
        entries.add(
            entry(
                named,
                name.volume(),
                name.backup(),
                () -> item.read(volume.content().get(), name)));
      }
    }
    return entries;
  }

  private List<String> volumeNames() throws StorageException {
    return address.volume().isPresent() ? List.of(address.volume().get()) : backups.volumes();
  }

  private List<BackupName> backupNames(String volume) throws StorageException {
    return address.backup().isPresent()
        ? List.of(new BackupName(volume, address.backup().get()))
        : backups.backupNames(volume);
  }

  /**
   * Reads an item. A failure of an item does not end the reading unless the user named the item.
   */
  private <T> BackupEntry<T> entry(boolean named, String volume, String backup, Reading<T> reading)
      throws StorageException {
    try {
      return new BackupEntry<>(volume, backup, Optional.of(reading.read()), "");
    } catch (StorageException e) {
      if (named || isOfTheTarget(e)) {
        throw e;
      }
      call.report(e);
      return new BackupEntry<>(volume, backup, Optional.empty(), e.getMessage());
    }
  }

  /** Returns whether a failure concerns the target instead of the item. */
  private static boolean isOfTheTarget(StorageException failure) {
    return switch (failure.code()) {
      case IO, NOT_FOUND, UNSUPPORTED -> false;
      case ALREADY_EXISTS,
          CONFLICT,
          INVALID,
          NO_SPACE,
          BUSY,
          UNREACHABLE,
          TIMEOUT,
          EXPIRED,
          FORBIDDEN,
          INTERNAL ->
          true;
    };
  }
}
