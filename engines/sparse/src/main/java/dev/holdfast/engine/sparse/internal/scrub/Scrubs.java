package dev.holdfast.engine.sparse.internal.scrub;

import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.sparse.internal.volume.VolumeContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** The scrubbing of an open volume's snapshots, one at a time. */
public final class Scrubs {
  private final VolumeContext parts;

  // Guarded by this.
  private SnapshotScrub latest;
  private boolean stopped;

  public Scrubs(VolumeContext parts) {
    this.parts = parts;
  }

  /** Starts to scrub an existing snapshot, or returns its running scrub. */
  public synchronized Scrub begin(String snapshot, ScrubOptions options) throws StorageException {
    if (stopped) {
      throw new StorageException(ErrorCode.IO, "volume " + parts.name() + " is closed");
    }
    if (latest != null && latest.runs()) {
      if (latest.snapshot().equals(snapshot)) {
        return latest;
      }
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + parts.name() + ": snapshot " + latest.snapshot() + " is being scrubbed");
    }
    latest = new SnapshotScrub(parts, snapshot, options);
    latest.begin();
    return latest;
  }

  /** Interrupts a running scrub and waits for its end; later ones are refused. */
  public void stop() {
    SnapshotScrub running;
    synchronized (this) {
      stopped = true;
      running = latest;
    }
    if (running != null) {
      running.cancel();
      running.awaitEnd();
    }
  }
}
