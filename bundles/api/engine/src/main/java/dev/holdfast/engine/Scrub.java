package dev.holdfast.engine;

import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ConsumerType;

/** The scrubbing of one snapshot, while it runs and after. Thread-safe. */
@ConsumerType
public interface Scrub {

  /** Returns the name of the snapshot, never null. */
  String snapshot();

  /** Returns how many bytes of the snapshot's own layer are to be looked at, holes included. */
  long totalBytes();

  /** Returns how many of them are done. */
  long doneBytes();

  /**
   * Changes the limit of a scrubbing that runs.
   *
   * @param options the new limit, not null
   */
  void change(ScrubOptions options);

  /** Breaks it off: {@link #done} fails with BUSY. What was repaired stays so. Idempotent. */
  void cancel();

  /**
   * Returns what was found, once all is looked at; never null. Fails with a {@link
   * dev.holdfast.error.StorageException}: BUSY when it was broken off, because the snapshot is
   * given up or the volume closes; IO when no replica can be read.
   */
  CompletionStage<ScrubResult> done();
}
