package dev.holdfast.engine;

import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ConsumerType;

/** A rebuild that runs. Thread-safe. */
@ConsumerType
public interface Rebuild {

  /** Returns the name of the replica that is rebuilt, never null. */
  String replica();

  /** Returns how many bytes are known to need copying; may grow while it is found out. */
  long totalBytes();

  /** Returns how many of them are done. */
  long doneBytes();

  /**
   * Changes the limit of a running rebuild.
   *
   * @param options the new limit, not null
   */
  void change(RebuildOptions options);

  /** Breaks the rebuild off; what was copied stays, so that another can continue from there. */
  void cancel();

  /**
   * Returns when the replica is current, or fails with a {@link
   * dev.holdfast.error.StorageException}; never null.
   */
  CompletionStage<Void> done();
}
