package dev.holdfast.engine.sparse.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;

/** The volumes that this engine has open. Thread-safe. */
final class OpenVolumes {
  // Guarded by this.
  private final List<SparseVolume> volumes = new ArrayList<>();
  private int openings;
  private boolean stopped;
  private Runnable whenIdle = () -> {};

  /** An opening begins; {@link #openingEnds} must follow. */
  synchronized void openingBegins() {
    openings++;
  }

  /** An opening has ended, with a volume or without. */
  void openingEnds() {
    Runnable last = () -> {};
    synchronized (this) {
      openings--;
      if (openings == 0) {
        last = whenIdle;
        whenIdle = () -> {};
      }
    }
    last.run();
  }

  /**
   * Runs an action once, as soon as no opening is in progress: at once, or on the thread of the
   * last one. Openings still need threads and a clock to end.
   */
  void whenIdle(Runnable action) {
    synchronized (this) {
      if (openings > 0) {
        whenIdle = action;
        return;
      }
    }
    action.run();
  }

  /** Adds a volume; closes it and fails when the engine stopped while the volume was opened. */
  void add(String name, SparseVolume volume) throws StorageException {
    if (!added(volume)) {
      volume.close();
      throw stopped(name);
    }
  }

  private synchronized boolean added(SparseVolume volume) {
    return !stopped && volumes.add(volume);
  }

  /** Fails when the engine has stopped. */
  synchronized void check(String volume) throws StorageException {
    if (stopped) {
      throw stopped(volume);
    }
  }

  // The start must not continue with the other replicas as if this node's were lost.
  private static StorageException stopped(String volume) {
    return new StorageException(
        ErrorCode.CONFLICT,
        "volume " + volume + ": this version of the engine stopped; open it in the next one");
  }

  synchronized void remove(SparseVolume volume) {
    volumes.remove(volume);
  }

  synchronized List<SparseVolume> all() {
    return List.copyOf(volumes);
  }

  /** Returns the volumes that are open; none is added afterwards. */
  synchronized List<SparseVolume> stop() {
    stopped = true;
    return all();
  }
}
