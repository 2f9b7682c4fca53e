package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The replicas of this node that were abandoned because their disks did not answer, as long as a
 * call hangs in them. Thread-safe.
 */
public final class HungReplicas {
  private final Set<Path> hung = ConcurrentHashMap.newKeySet();

  void add(ReplicaLocation location) {
    hung.add(location.directory());
  }

  void remove(ReplicaLocation location) {
    hung.remove(location.directory());
  }

  /**
   * Rejects callers that would wait for such a replica.
   *
   * @throws StorageException BUSY while a call hangs in its disk
   */
  public void check(ReplicaLocation location) throws StorageException {
    if (hung.contains(location.directory())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "replica "
              + location.replica()
              + ": its disk at "
              + location.diskPath()
              + " has not answered yet: look at that disk");
    }
  }
}
