package dev.holdfast.commands.verbs;

import dev.holdfast.client.CompletionNames;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import java.util.List;
import java.util.stream.Stream;

/** Words that a shell offers as completion for an argument or option. */
public enum Candidates {
  /** No words; for an enum its constants. */
  NONE,
  /** Names of volumes. */
  VOLUMES,
  /** Names of retained deleted volumes. */
  DELETED_VOLUMES,
  /** Names of snapshots in their volumes. */
  SNAPSHOTS,
  /** Names of backing images. */
  IMAGES,
  /** Names of backups. */
  BACKUPS,
  /** Names of recurring jobs. */
  JOBS,
  /** Names of access tokens. */
  TOKENS,
  /** Names of settings. */
  SETTINGS,
  /** Names of nodes. */
  NODES,
  /** Names of disks on their nodes. */
  DISKS,
  /** Types of filesystems. */
  FILESYSTEMS,
  /** Paths of files and directories on this host, which the shell completes itself. */
  FILES;

  /**
   * Returns the words.
   *
   * @param names of the objects in the store
   * @throws StorageException if the store cannot be read
   */
  public List<String> words(CompletionNames names) throws StorageException {
    return switch (this) {
      case NONE, FILES -> List.of();
      case VOLUMES -> names.volumes();
      case DELETED_VOLUMES -> names.deletedVolumes();
      case SNAPSHOTS -> names.snapshots();
      case IMAGES -> names.images();
      case BACKUPS -> names.backups();
      case JOBS -> names.recurringJobs();
      case TOKENS -> names.tokens();
      case SETTINGS -> names.settings();
      case NODES -> names.nodes();
      case DISKS -> names.disks();
      case FILESYSTEMS -> Stream.of(Filesystem.values()).map(Filesystem::toString).toList();
    };
  }
}
