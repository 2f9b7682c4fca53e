package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * An engine's claim on the local replicas of a volume, from the first fence until the engine closes
 * them. When a replica admits a later engine, it waits for a start that still runs, and ends the
 * volume that the start opened.
 */
final class VolumeClaim implements ReplicaSession.Listener {
  // Guarded by this.
  private boolean over;
  private Optional<SparseVolume> volume = Optional.empty();
  private Token later;
  private int admitted;

  /** Ends the start. */
  synchronized void over(Optional<SparseVolume> opened) {
    over = true;
    volume = opened;
    notifyAll();
  }

  /** Fails if a replica admitted a later engine. */
  synchronized void check(String name) throws StorageException {
    if (later != null) {
      throw new StorageException(
          ErrorCode.CONFLICT, "volume " + name + " was taken over by engine " + later);
    }
  }

  /** Counts a replica with data that admitted this engine, here or on another node. */
  synchronized void admit() {
    admitted++;
  }

  /** Returns whether a replica admitted this engine. */
  synchronized boolean anyLetIn() {
    return admitted > 0;
  }

  @Override
  public void superseded(Token by) {
    ended(by).ifPresent(opened -> opened.supersede("engine " + by));
  }

  private synchronized Optional<SparseVolume> ended(Token by) {
    later = by;
    Uninterruptibly.awaitWhile(this, () -> !over);
    return volume;
  }
}
