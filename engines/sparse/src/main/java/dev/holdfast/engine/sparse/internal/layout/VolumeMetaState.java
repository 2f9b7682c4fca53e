package dev.holdfast.engine.sparse.internal.layout;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import java.io.IOException;

/**
 * A replica's volume.meta and its record of a clean close. The caller calls {@link #soil} before
 * every change of the directory, except changes of the engine's bookkeeping.
 */
public final class VolumeMetaState {
  private final ReplicaDirectory directory;
  private VolumeMeta meta;
  private boolean clean;

  /**
   * Creates the state with the stored content.
   *
   * @param meta content of volume.meta, null for a witness
   * @param clean whether the replica was closed cleanly
   */
  public VolumeMetaState(ReplicaDirectory directory, VolumeMeta meta, boolean clean) {
    this.directory = directory;
    this.meta = meta;
    this.clean = clean;
  }

  public synchronized VolumeMeta meta() {
    return meta;
  }

  public synchronized boolean clean() {
    return clean;
  }

  /** Removes the record of a clean close, durably. */
  public synchronized void soil() throws IOException {
    if (clean || (meta != null && !meta.dirty())) {
      directory.remove(StateFiles.CLEAN);
      clean = false;
      if (meta != null) {
        RevisionCounter.raise(directory);
        store(meta.withDirty(true));
      }
    }
  }

  /** Replaces volume.meta durably. */
  public synchronized void store(VolumeMeta next) throws IOException {
    LonghornLayout.store(directory, next);
    meta = next;
  }

  /** Records a clean close, durably. The caller has synced everything. */
  public synchronized void seal() throws IOException {
    if (meta != null) {
      store(meta.withDirty(false));
    }
    StateFiles.store(directory, StateFiles.CLEAN, directory.fingerprint());
    clean = true;
  }
}
