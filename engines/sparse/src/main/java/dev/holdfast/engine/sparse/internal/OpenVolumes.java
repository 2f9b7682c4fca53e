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

  /** Counts the start of an opening; the caller must call {@link #openingEnds} later. */
  synchronized void openingBegins() {
    openings++;
  }

  /** Counts the end of an opening, successful or not. */
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
   * Runs an action once, as soon as no opening is in progress: immediately, or on the thread of the
   * last opening. Until then the openings still need threads and a clock.
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

  /** Adds a volume. If the engine stopped during the opening, closes the volume and fails. */
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

  // Fail the whole opening: the start must not continue with the remote replicas as if this node's
  // replica had failed.
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

  /** Marks the engine as stopped and returns the open volumes; later openings fail. */
  synchronized List<SparseVolume> stop() {
    stopped = true;
    return all();
  }
}
