package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.base.BaseIdentity;
import dev.holdfast.engine.sparse.internal.base.BaseLayer;
import dev.holdfast.engine.sparse.internal.base.SealedBase;
import dev.holdfast.engine.sparse.internal.chain.LayerIndexCache;
import dev.holdfast.engine.sparse.internal.chain.LocalChain;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Admits an engine to a local replica. */
final class LocalFence {
  private LocalFence() {}

  /**
   * Fences a replica that has no session in this process. On success the replica belongs to this
   * engine.
   *
   * @throws StorageException BUSY when another process has it locked, CONFLICT when it has admitted
   *     a later engine, NOT_FOUND, INVALID, IO
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
      lock(what, directory);
      ReplicaIdentity identity = ReplicaHistory.identify(location, directory);
      ReplicaHistory history = ReplicaHistory.read(directory);
      promise(what, directory, history, token);
      int failures = UnsyncedRecord.settle(directory, hostBoot, failedSyncs);
      String boot = failures == 0 ? hostBoot : hostBoot + "#" + failures;
      Optional<LayerIndexCache> known =
          heritage.filter(left -> left.holdsAfter(history.promise())).map(InheritedIndex::layers);
      String served = ServedRecord.take(directory, boot).orElse(incarnation);
      Optional<BaseLayer> base = base(what, location, directory, meta);
      LocalChain chain =
          meta == null ? null : LocalChain.open(directory, meta, history.clean(), base, known);
      FencedReplica fenced =
          chain == null
              ? new FencedReplica(identity, history, boot, served, 0, false, false, "")
              : fenced(identity, history, boot, served, chain, base);
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

  private static void lock(String what, ReplicaDirectory directory)
      throws IOException, StorageException {
    if (!directory.lock()) {
      throw new StorageException(
          ErrorCode.BUSY, what + " is open in another engine; close that one first");
    }
  }

  /** Promises the replica to this engine, unless it has promised itself to a later one. */
  private static void promise(
      String what, ReplicaDirectory directory, ReplicaHistory history, Token token)
      throws IOException, StorageException {
    if (token.isBefore(history.promise())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          what + " admitted engine " + history.promise() + ", later than " + token);
    }
    StateFiles.store(directory, StateFiles.PROMISE, token);
  }

  private static FencedReplica fenced(
      ReplicaIdentity identity,
      ReplicaHistory history,
      String boot,
      String served,
      LocalChain chain,
      Optional<BaseLayer> base) {
    VolumeMeta meta = chain.state().meta();
    return new FencedReplica(
        identity,
        history,
        boot,
        served,
        meta.size(),
        meta.rebuilding(),
        chain.layers().chained(),
        base.map(layer -> layer.identity().text()).orElse(""));
  }

  private static VolumeMeta checkedMeta(String what, ReplicaDirectory directory)
      throws IOException, StorageException {
    Optional<VolumeMeta> meta = LonghornLayout.volumeMeta(directory);
    if (meta.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, what + " is not there");
    }
    return meta.get();
  }

  private static Optional<BaseLayer> base(
      String what, ReplicaLocation location, ReplicaDirectory directory, VolumeMeta meta)
      throws IOException, StorageException {
    if (meta == null) {
      return Optional.empty();
    }
    Optional<BaseIdentity> recorded =
        StateFiles.load(directory, StateFiles.BASE, BaseIdentity.class);
    if (recorded.isEmpty() && meta.base().isEmpty()) {
      return Optional.empty();
    }
    Path disk = location.diskPath();
    BaseIdentity identity =
        recorded.isPresent() ? recorded.get() : adopt(what, disk, directory, meta);
    if (identity.sizeBytes() > meta.size()) {
      throw new StorageException(
          ErrorCode.INVALID,
          what + ": its backing image " + identity.image() + " is larger than the volume");
    }
    ReplicaDirectory folder = directory.elsewhere(identity.folder(disk));
    SealedBase.require(what, folder, identity);
    return Optional.of(new BaseLayer(identity, folder));
  }

  // Longhorn records the path as its own container sees the disk; the folder has the same name
  // here.
  private static BaseIdentity adopt(
      String what, Path disk, ReplicaDirectory directory, VolumeMeta meta)
      throws IOException, StorageException {
    Optional<BaseIdentity> found = Optional.empty();
    Optional<Path> folder = BaseIdentity.folderNamedBy(disk, meta.base());
    if (folder.isPresent()) {
      found = SealedBase.load(directory.elsewhere(folder.get())).map(SealedBase::identity);
    }
    if (found.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          what
              + " is based on the backing file "
              + meta.base()
              + ", which is not a backing image of this disk: import the image first");
    }
    StateFiles.store(directory, StateFiles.BASE, found.get());
    return found.get();
  }

  private static void unlockQuietly(ReplicaDirectory directory) {
    try {
      directory.unlock();
    } catch (IOException e) {
      // Closing the lock's descriptor failed; the caller receives the failure to open.
    }
  }
}
