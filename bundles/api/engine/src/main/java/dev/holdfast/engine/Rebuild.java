package dev.holdfast.engine;

import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ConsumerType;

/** A running rebuild. Thread-safe. */
@ConsumerType
public interface Rebuild {

  /** Returns the name of the replica that is rebuilt, never null. */
  String replica();

  /**
   * Returns the number of bytes known to need a copy; may grow while the engine searches for
   * differences.
   */
  long totalBytes();

  /** Returns the number of bytes that are done. */
  long doneBytes();

  /**
   * Changes the limit of a running rebuild.
   *
   * @param options the new limit, not null
   */
  void change(RebuildOptions options);

  /** Stops the rebuild. Copied data stays, so that another rebuild can continue from it. */
  void cancel();

  /**
   * Returns a stage that completes when the replica is current, or fails with a {@link
   * dev.holdfast.error.StorageException}; never null.
   */
  CompletionStage<Void> done();
}
