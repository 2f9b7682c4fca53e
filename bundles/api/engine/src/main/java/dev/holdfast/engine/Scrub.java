package dev.holdfast.engine;

import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ConsumerType;

/** A running or finished scrub of one snapshot. Thread-safe. */
@ConsumerType
public interface Scrub {

  /** Returns the name of the snapshot, never null. */
  String snapshot();

  /** Returns the number of bytes of the snapshot's own layer to check, including holes. */
  long totalBytes();

  /** Returns the number of bytes that are done. */
  long doneBytes();

  /**
   * Changes the limit of a running scrub.
   *
   * @param options the new limit, not null
   */
  void change(ScrubOptions options);

  /** Cancels the scrub: {@link #done} fails with BUSY. Repairs remain. Idempotent. */
  void cancel();

  /**
   * Returns a stage with the result of the complete scrub; never null. Fails with a {@link
   * dev.holdfast.error.StorageException}: BUSY if the scrub was cancelled, the snapshot was removed
   * or the volume was closed; IO if all replicas are unreadable.
   */
  CompletionStage<ScrubResult> done();
}
