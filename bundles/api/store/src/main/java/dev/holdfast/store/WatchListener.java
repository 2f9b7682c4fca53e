package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import org.osgi.annotation.versioning.ConsumerType;

/** Receives changes in order, one call at a time. */
@ConsumerType
public interface WatchListener<R extends Resource<R>> {
  /** Receives one change. */
  void changed(WatchEvent<R> event);

  /**
   * Reports that the watch has ended by itself. List and watch again.
   *
   * @param cause cause of the end: EXPIRED when this listener was too slow, UNREACHABLE when the
   *     connection to the store was lost
   */
  void ended(StorageException cause);
}
