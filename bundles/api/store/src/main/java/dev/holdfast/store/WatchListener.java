package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import org.osgi.annotation.versioning.ConsumerType;

/** Told of changes, one call at a time, in order. */
@ConsumerType
public interface WatchListener<R extends Resource<R>> {
  /** One change. */
  void changed(WatchEvent<R> event);

  /**
   * The watch has ended by itself; nothing more will come. List and watch again.
   *
   * @param cause why: EXPIRED when this listener was too slow, UNREACHABLE when the store went away
   */
  void ended(StorageException cause);
}
