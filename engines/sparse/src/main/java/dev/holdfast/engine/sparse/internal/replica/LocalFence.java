package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.LayerIndexCache;
import dev.holdfast.engine.sparse.internal.chain.LocalChain;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.Optional;

/** How an engine is let into a replica on this node. */
final class LocalFence {
  private LocalFence() {}

  /**
   * Fences a replica that no session of this process has: from now on it belongs to this engine, or
   * this fails.
   *
   * @throws StorageException BUSY when another process has it locked, CONFLICT when it has promised
   *     itself to a later engine, NOT_FOUND, INVALID, IO
   */
  static LocalReplica fence(
      ReplicaLocation location,
      ReplicaDirectory directory,
      Token token,
      String hostBoot,
      int failedSyncs,
      String incarnation,
      Optional<InheritedIndex> heritage)
      throws StorageException {
    String what = "replica " + location.replica() + " at " + directory.path();
    boolean done = false;
    try {
      VolumeMeta meta = location.witness() ? null : checkedMeta(what, directory);
      if (!directory.lock()) {
        throw new StorageException(
            ErrorCode.BUSY, what + " is open in another engine; close that one first");
      }
      ReplicaIdentity identity = ReplicaHistory.identify(location, directory);
      ReplicaHistory history = ReplicaHistory.read(directory);
      if (token.isBefore(history.promise())) {
        throw new StorageException(
            ErrorCode.CONFLICT,
            what + " admitted engine " + history.promise() + ", later than " + token);
      }
      StateFiles.store(directory, StateFiles.PROMISE, token);
      int failures = UnsyncedRecord.settle(directory, hostBoot, failedSyncs);
      String boot = failures == 0 ? hostBoot : hostBoot + "#" + failures;
      Optional<LayerIndexCache> known =
          heritage.filter(left -> left.holdsAfter(history.promise())).map(InheritedIndex::layers);
      String served = ServedRecord.take(directory, boot).orElse(incarnation);
      LocalChain chain =
          meta == null ? null : LocalChain.open(directory, meta, history.clean(), known);
      FencedReplica fenced =
          new FencedReplica(
              identity,
              history,
              boot,
              served,
              chain == null ? 0 : chain.state().meta().size(),
              chain != null && chain.state().meta().rebuilding(),
              chain != null && chain.layers().chained());
      done = true;
      UnsyncedRecord next = new UnsyncedRecord(hostBoot, failures + 1, false);
      return new LocalReplica(location, directory, fenced, chain, next);
    } catch (IOException e) {
      throw StorageException.io(what + " cannot be opened", e);
    } finally {
      if (!done) {
        unlockQuietly(directory);
      }
    }
  }

  private static VolumeMeta checkedMeta(String what, ReplicaDirectory directory)
      throws IOException, StorageException {
    Optional<VolumeMeta> meta = LonghornLayout.volumeMeta(directory);
    if (meta.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, what + " is not there");
    }
    String backing = meta.get().backingFilePath();
    if (backing != null && !backing.isEmpty() && !meta.get().shared()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, what + " is based on a backing file; this engine opens none");
    }
    return meta.get();
  }

  private static void unlockQuietly(ReplicaDirectory directory) {
    try {
      directory.unlock();
    } catch (IOException e) {
      // Closing the lock's descriptor failed; the caller is told why opening failed.
    }
  }
}
