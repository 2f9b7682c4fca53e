package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The volumes and backups of a target, as far as a layout holds them. Thread-safe. A listing that
 * fails is an exception, never a shorter list.
 */
public interface BackupCatalog {
  /**
   * Returns the names of all volumes that have a configuration.
   *
   * @throws StorageException UNREACHABLE, TIMEOUT, FORBIDDEN, IO when they cannot be listed
   */
  List<String> volumes() throws StorageException;

  /**
   * Returns a volume.
   *
   * @param name of the volume, not null
   * @throws StorageException NOT_FOUND; INVALID for an impossible name; IO for a damaged
   *     configuration
   */
  StoredVolume volume(String name) throws StorageException;

  /**
   * Returns whether the target has a configuration of a volume.
   *
   * @param volume name of the volume, not null
   * @throws StorageException INVALID for an impossible name; what the target throws
   */
  boolean hasVolume(String volume) throws StorageException;

  /**
   * Returns whether the target has a backup, complete or not, or may have it. Asks for single
   * objects, because a list may lack existing ones: false means that the backup is certainly
   * absent.
   *
   * @param name of volume and backup, not null
   * @param createdAt time of {@link BackupSummary#createdAt}, by which some layouts name objects;
   *     fractions of a second do not count; empty if it is unknown, not null
   * @throws StorageException INVALID for an impossible name; what the target throws
   */
  boolean mayHaveBackup(BackupName name, Optional<Instant> createdAt) throws StorageException;

  /**
   * Returns the configurations of the backups of a volume, complete or not, in the order of their
   * keys, by one listing. One that has the tag of an earlier call is unchanged.
   *
   * @param volume name of the volume, not null
   * @throws StorageException INVALID for an impossible name; UNREACHABLE, TIMEOUT, FORBIDDEN, IO
   *     when they cannot be listed
   */
  Map<BackupName, StoredObject> configs(String volume) throws StorageException;

  /**
   * Returns the names of the backups of a volume, complete or not, in the order of their keys.
   *
   * @param volume name of the volume, not null
   * @throws StorageException as {@link #configs}
   */
  default List<BackupName> backupNames(String volume) throws StorageException {
    return List.copyOf(configs(volume).keySet());
  }

  /**
   * Returns a backup without its blocks, complete or not, from a configuration that was listed.
   *
   * @param volume that has the backup, not null
   * @param name of the backup, not null
   * @param config that {@link #configs} returned for it, not null
   * @throws StorageException as {@link #backup}, but for BUSY
   */
  BackupSummary summary(StoredVolume volume, BackupName name, StoredObject config)
      throws StorageException;

  /**
   * Returns a backup without its blocks, complete or not.
   *
   * @param volume that has the backup, not null
   * @param name of the backup, not null
   * @throws StorageException as {@link #backup}, but for BUSY
   */
  BackupSummary summary(StoredVolume volume, String name) throws StorageException;

  /**
   * Returns a complete backup with its blocks.
   *
   * @param name of volume and backup, not null
   * @throws StorageException NOT_FOUND; BUSY while it is in progress; IO for a damaged
   *     configuration; UNSUPPORTED for a form that this version does not know
   */
  StoredBackup backup(BackupName name) throws StorageException;
}
