package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The replicas of this node that were given up because their disks did not answer, for as long as
 * something still hangs in these. Thread-safe.
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
   * @throws StorageException BUSY while something hangs in its disk
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
