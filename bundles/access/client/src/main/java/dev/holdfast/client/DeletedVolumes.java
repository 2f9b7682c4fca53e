package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;

/** Undeletes and purges retained deleted volumes. Thread-safe. */
public final class DeletedVolumes {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the deleted volumes of a store. */
  public DeletedVolumes(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /** Returns all retained deleted volumes. */
  public ResourceList<DeletedVolume> list() throws StorageException {
    return store.list(DeletedVolume.KIND, LabelSelector.ALL);
  }

  /** Returns the deleted volume of a name; empty if none is retained. */
  public Optional<DeletedVolume> find(String name) throws StorageException {
    return store.get(DeletedVolume.KIND, name);
  }

  /**
   * Returns the deleted volumes that the caller may read, for lists of other resources. Empty if
   * the store has an earlier release without the kind.
   */
  List<DeletedVolume> readable() throws StorageException {
    try {
      return list().items();
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN || e.code() == ErrorCode.NOT_FOUND) {
        return List.of();
      }
      throw e;
    }
  }

  /** Returns the deleted volume of a name, empty if the caller may not read it. */
  public Optional<DeletedVolume> readable(String name) throws StorageException {
    return readable().stream().filter(deleted -> deleted.name().equals(name)).findFirst();
  }

  /** Returns whether a deleted volume of a name is known and retained. */
  boolean isKept(String name) throws StorageException {
    return readable(name)
        .filter(deleted -> !deleted.isBeingDeleted())
        .filter(deleted -> deleted.status().state() != DeletedVolumeState.PURGING)
        .isPresent();
  }

  /**
   * Undeletes a volume; with waiting, until the volume exists again with its content.
   *
   * @return the volume, empty without waiting
   * @throws StorageException NOT_FOUND; BUSY when another volume has the name, or when the content
   *     is being removed; TIMEOUT when the volume does not exist in time (the request remains)
   */
  public Optional<Volume> undelete(String name, Waiting waiting) throws StorageException {
    DeletedVolume present = require(name);
    if (present.isBeingDeleted() || present.status().state() == DeletedVolumeState.PURGING) {
      throw new StorageException(
          ErrorCode.BUSY,
          "deleted volume "
              + name
              + " is being purged, which cannot be taken back: restore the volume from a backup"
              + " with 'holdfast volume create "
              + name
              + " --backup NAME'");
    }
    Optional<Volume> other =
        store
            .get(Volume.KIND, name)
            .filter(volume -> !present.isOf(volume) && !present.isSourceOf(volume));
    if (other.isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "another volume "
              + name
              + " exists: delete it with 'holdfast volume delete "
              + name
              + "', then take the deletion back");
    }
    editor.edit(
        DeletedVolume.KIND, name, deleted -> deleted.withSpec(deleted.spec().withUndelete(true)));
    return waiting.isWanted() ? Optional.of(awaitVolume(name, waiting)) : Optional.empty();
  }

  private Volume awaitVolume(String name, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(Volume.KIND, name);
      var deleted = observation.follow(DeletedVolume.KIND, name);
      return observation.await(
          "volume " + name,
          waiting,
          () ->
              volume
                  .latest()
                  .filter(found -> deleted.latest().isEmpty())
                  .filter(found -> found.status().state() != VolumeState.CREATING),
          () ->
              deleted
                  .latest()
                  .map(found -> found.status().message())
                  .filter(message -> !message.isEmpty())
                  .orElse("its content"));
    }
  }

  /**
   * Removes the content of a deleted volume before the end of its retention; with waiting, until it
   * is removed.
   *
   * @return the deleted volume if it still exists, otherwise empty
   * @throws StorageException NOT_FOUND; BUSY when the volume is being restored; TIMEOUT when it is
   *     not removed in time (the removal continues)
   */
  public Optional<DeletedVolume> purge(String name, Waiting waiting) throws StorageException {
    DeletedVolume present = require(name);
    if (present.status().state() == DeletedVolumeState.RESTORING) {
      throw new StorageException(
          ErrorCode.BUSY,
          "deleted volume "
              + name
              + " is being restored: delete the volume once it exists, with 'holdfast volume delete "
              + name
              + " --grace 0s'");
    }
    Optional<DeletedVolume> remaining =
        store.delete(DeletedVolume.KIND, name, present.metadata().uid());
    if (remaining.isEmpty() || !waiting.isWanted()) {
      return remaining;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var deleted = observation.follow(DeletedVolume.KIND, name);
      observation.await(
          "deleted volume " + name,
          waiting,
          () -> deleted.latest().isEmpty() ? Optional.of(true) : Optional.empty(),
          () -> "the deletion of its replicas");
      return Optional.empty();
    }
  }

  private DeletedVolume require(String name) throws StorageException {
    Optional<DeletedVolume> found = find(name);
    if (found.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "deleted volume " + name + " does not exist: see 'holdfast volume list --deleted'");
    }
    return found.get();
  }

  /**
   * Rejects a new volume with the name of a retained deleted volume.
   *
   * @throws StorageException ALREADY_EXISTS with the remedies
   */
  void requireFree(String name) throws StorageException {
    Optional<DeletedVolume> found = find(name);
    if (found.isPresent()) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          "volume "
              + name
              + ": a deleted volume of this name is kept until "
              + found.get().spec().purgeAt().map(Object::toString).orElse("it is purged")
              + ": take its deletion back with 'holdfast volume undelete "
              + name
              + "', or free the name with 'holdfast volume purge "
              + name
              + "'");
    }
  }
}
