package dev.holdfast.client.backup;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.restore.StandbyActivation;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;

/** Manages volumes that follow the backups of another volume. Thread-safe. */
public final class StandbyVolumes {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the volumes of a store. */
  public StandbyVolumes(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Makes a standby volume an ordinary one; with waiting, until clients can use it. A repeated
   * request may change the rule for a partly applied backup.
   *
   * @param activation treatment of such a backup
   * @throws StorageException NOT_FOUND; CONFLICT for a volume that is not a standby volume; TIMEOUT
   *     with the reason (the activation continues)
   */
  public Volume activate(String name, StandbyActivation activation, Waiting waiting)
      throws StorageException {
    if (!editor.require(Volume.KIND, name).isStandby()) {
      throw new StorageException(
          ErrorCode.CONFLICT, "volume " + name + " is not a standby volume, so it can be attached");
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var followed = observation.follow(Volume.KIND, name);
      Volume asked =
          editor.edit(
              Volume.KIND,
              name,
              found ->
                  found.withSpec(
                      found.spec().withStandby(false).withStandbyActivation(activation)));
      return waiting.isWanted()
          ? observation.await(
              "volume " + name,
              waiting,
              () -> followed.latest().filter(found -> !found.isStandby()),
              () -> followed.latest().map(StandbyVolumes::why).orElse("it was deleted"))
          : asked;
    }
  }

  private static String why(Volume volume) {
    String message = volume.status().standby().message();
    String restore = volume.status().restore().message();
    if (!message.isEmpty() || !restore.isEmpty()) {
      return message.isEmpty() ? restore : message;
    }
    return volume.awaitsContent()
        ? "backup "
            + volume.status().restore().backup()
            + " is applied to "
            + volume.status().restore().progress()
            + " %"
        : "its activation is not complete";
  }
}
