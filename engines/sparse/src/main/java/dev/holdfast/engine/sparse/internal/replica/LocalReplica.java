package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.base.BaseIdentity;
import dev.holdfast.engine.sparse.internal.base.BaseLayer;
import dev.holdfast.engine.sparse.internal.chain.Layers;
import dev.holdfast.engine.sparse.internal.chain.LocalChain;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.chain.SharedSnapshot;
import dev.holdfast.engine.sparse.internal.chain.UnsyncedException;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.VolumeMetaState;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A local replica that admitted an engine. It holds the directory's lock, rejects every older
 * engine, and has its layers open. A witness has no layers, only the engine's state. Requests
 * complete on the caller's thread.
 */
public final class LocalReplica extends FencedMember {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReplica.class);

  private final ReplicaDirectory directory;
  private final LocalChain chain;
  private final Layers layers;
  private final VolumeMetaState state;
  // Guarded by this.
  private final MissedRegions missed;
  // Taken before this object's own lock.
  private final Object closing = new Object();
  private IntentLog intents;
  private boolean closed;
  private final UnsyncedRecord ifUnsynced;
  private final Object noting = new Object();
  private volatile boolean unsynced;
  private Runnable whenClosed = () -> {};
  private volatile IntConsumer whenUnsynced = failures -> {};

  LocalReplica(
      ReplicaLocation location,
      ReplicaDirectory directory,
      FencedReplica fenced,
      LocalChain chain,
      UnsyncedRecord ifUnsynced) {
    super(location, fenced);
    this.directory = directory;
    this.chain = chain;
    this.layers = chain == null ? null : chain.layers();
    this.state =
        chain == null
            ? new VolumeMetaState(directory, null, fenced.history().clean())
            : chain.state();
    this.missed = new MissedRegions(directory, fenced.history().missed());
    this.ifUnsynced = ifUnsynced;
    if (chain != null) {
      layers.whenUnsynced(this::syncFailed);
      chain.beforeRevert(this::missAll);
    }
  }

  /**
   * Sets the actions. Called once, directly after the fence.
   *
   * @param closed runs when the replica is closed
   * @param unsynced receives the number of failed syncs in this boot after each failed sync, before
   *     the failure is reported
   */
  synchronized void watch(Runnable closed, IntConsumer unsynced) {
    whenClosed = closed;
    whenUnsynced = unsynced;
  }

  /**
   * Returns the index for the next session, empty when none is needed. Called when no request is in
   * flight or can follow.
   */
  public Optional<InheritedIndex> heritage(Token token) {
    return chain == null
        ? Optional.empty()
        : chain.known().map(layers -> new InheritedIndex(token, layers));
  }

  @Override
  public boolean local() {
    return true;
  }

  @Override
  public boolean works() {
    return true;
  }

  @Override
  public boolean chained() {
    return layers != null && layers.chained();
  }

  /** Fills the remaining bytes of the buffer, without a completion. */
  public void read(long offset, ByteBuffer target) throws IOException {
    layers.read(offset, target);
  }

  /** Writes the remaining bytes of the buffer, without a completion. */
  public void write(long offset, ByteBuffer source) throws IOException {
    layers.write(offset, source);
  }

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    StorageException failure = null;
    try {
      layers.read(offset, target.limit(position + length).position(position));
    } catch (IOException e) {
      failure = failure(e);
    } catch (RuntimeException | Error e) {
      failure = defect(e);
    }
    done.completed(failure, failure == null ? length : 0);
  }

  /**
   * Reads into a part of the buffer without waiting, above all for a disk.
   *
   * @return false when the read would wait, when that is unknown, or when it failed; nothing was
   *     read then
   */
  public boolean readNow(long offset, ByteBuffer target, int position, int length) {
    try {
      return layers.readNow(offset, target.limit(position + length).position(position));
    } catch (IOException e) {
      // The caller repeats the read, which then reports the failure.
      return false;
    } finally {
      target.limit(position + length);
    }
  }

  /** Returns whether {@link #readNow} returns false only for data that is not in the page cache. */
  public boolean tellsCached() {
    return layers.tellsCached();
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    StorageException failure = null;
    try {
      layers.write(offset, source.limit(position + length).position(position));
    } catch (IOException e) {
      failure = failure(e);
    } catch (RuntimeException | Error e) {
      failure = defect(e);
    }
    done.completed(failure, source.position() - (long) position);
  }

  @Override
  public void zero(long offset, long length, boolean allocated, MemberCompletion done) {
    StorageException failure = null;
    try {
      layers.zero(offset, length, allocated);
    } catch (UnsyncedException e) {
      failure = new StorageException(ErrorCode.IO, "replica " + name() + ": " + e.getMessage(), e);
      layers.unsynced();
    } catch (IOException e) {
      failure = failure(e);
    } catch (RuntimeException | Error e) {
      failure = defect(e);
    }
    done.completed(failure, failure == null ? length : 0);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done) {
    StorageException failure = null;
    try {
      layers.extents(offset, length, visitor);
    } catch (IOException e) {
      failure = failure(e);
    } catch (RuntimeException | Error e) {
      failure = defect(e);
    }
    done.completed(failure, 0);
  }

  @Override
  public void sync(MemberCompletion done) {
    StorageException failure = null;
    try {
      if (layers != null) {
        layers.sync();
      }
    } catch (IOException e) {
      // NO_SPACE is reported as IO too: the kernel discards data that it could not write, so free
      // space does not repair the failure.
      failure = new StorageException(ErrorCode.IO, "replica " + name() + ": " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      failure = defect(e);
    }
    done.completed(failure, 0);
  }

  @Override
  public void endOfBatch() {
    // Requests are not collected: each was executed before its call returned.
  }

  private StorageException failure(IOException cause) {
    return StorageException.io("replica " + name(), cause);
  }

  // A superseded engine may still issue a request.
  private synchronized void checkHeld() throws StorageException {
    if (closed) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "replica " + name() + " was closed, perhaps for another engine");
    }
  }

  // Lack of memory ends only the request that meets it.
  private StorageException defect(Throwable cause) {
    return new StorageException(ErrorCode.INTERNAL, "replica " + name() + ": " + cause, cause);
  }

  /** The first mark also removes the record of a clean close. */
  @Override
  public synchronized void mark(BitSet regions) throws StorageException {
    checkHeld();
    try {
      state.soil();
      if (intents == null) {
        // The same engine fenced the replica again: its earlier marks still apply.
        storeMarks(fenced().history().marked());
      }
      intents.mark(regions);
      missed.add(regions);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  @Override
  public synchronized void replaceMarks(BitSet marked) throws StorageException {
    checkHeld();
    try {
      storeMarks(marked);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private void storeMarks(BitSet marked) throws IOException {
    if (intents == null) {
      intents = IntentLog.create(directory, fenced().boot(), marked);
    } else {
      intents.replace(fenced().boot(), marked);
    }
  }

  @Override
  public synchronized void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet regions)
      throws StorageException {
    checkHeld();
    try {
      missed.add(absent, regions);
      StateFiles.store(directory, StateFiles.EPOCH, epoch);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  @Override
  public void seal() throws StorageException {
    synchronized (this) {
      checkHeld();
    }
    if (chain != null) {
      // Coalescing would change the fingerprint. Stop it without this object's lock: coalescing
      // waits for the chain, and a revert takes this lock under the chain's.
      chain.stopCoalescing();
    }
    synchronized (this) {
      checkHeld();
      if (state.clean()) {
        return;
      }
      try {
        storeMarks(new BitSet());
        state.seal();
      } catch (IOException e) {
        throw failure(e);
      }
    }
  }

  @Override
  public ReplicaChain chain() {
    return chain;
  }

  @Override
  public LayerReply layer(LayerRequest request) throws StorageException {
    try {
      return switch (request.getKind()) {
        case MISSED, REPLACE_MISSED, FORGET_MISSED -> missed(request);
        default -> new LayerRequestHandler(data()).to(request);
      };
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Fills the buffer from a layer. */
  public void readLayer(String image, long offset, ByteBuffer target) throws StorageException {
    try {
      data().transfer().read(image, offset, target);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Writes into a layer whose copy was started. */
  public void writeLayer(String image, long offset, ByteBuffer source) throws StorageException {
    try {
      data().transfer().write(image, offset, source);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Returns the length in bytes of a layer that exists or whose copy was started. */
  public long layerSize(String image) throws StorageException {
    try {
      return data().transfer().size(image);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Shares the layers of a snapshot with a new replica, as {@link LocalChain#share}. */
  SharedSnapshot share(String snapshot, Path folder) throws StorageException {
    return data().share(location().volume(), snapshot, folder);
  }

  /** Returns the base below its layers. */
  Optional<BaseIdentity> baseIdentity() {
    return chain == null ? Optional.empty() : chain.base().map(BaseLayer::identity);
  }

  private LocalChain data() throws StorageException {
    if (chain == null) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "replica " + name() + " holds no data");
    }
    return chain;
  }

  private synchronized LayerReply missed(LayerRequest request)
      throws IOException, StorageException {
    return switch (request.getKind()) {
      case REPLACE_MISSED -> missed.replace(request.getMissedMap());
      case FORGET_MISSED -> missed.forget(request.getNamesList());
      default -> missed.reply();
    };
  }

  /**
   * Records all regions as missing on absent replicas, because the volume's content was reverted.
   */
  private synchronized void missAll() throws IOException {
    missed.addAll(state.meta().size());
  }

  /**
   * Closes the replica for another bundle that will serve it. No request is in flight. Content
   * without a failed sync continues there unchanged.
   */
  void leave() {
    synchronized (this) {
      if (!closed && !unsynced) {
        try {
          new ServedRecord(fenced().boot(), fenced().incarnation()).leave(directory);
        } catch (IOException e) {
          LOG.warn("replica {} is served again: {}", name(), e.getMessage());
        }
      }
    }
    close();
  }

  // Recorded before the failure is reported, so that the next opening does not rely on the page
  // cache.
  private void syncFailed() {
    synchronized (noting) {
      if (unsynced) {
        return;
      }
      unsynced = true;
      try {
        ifUnsynced.store(directory);
      } catch (IOException e) {
        LOG.warn(
            "replica {}: could not persist the failed-sync marker: {}", name(), e.getMessage());
      }
      whenUnsynced.accept(ifUnsynced.failures());
    }
  }

  @Override
  public void close() {
    Runnable then;
    synchronized (closing) {
      synchronized (this) {
        if (closed) {
          return;
        }
        closed = true;
        then = whenClosed;
      }
      // Without this object's lock, because an operation of the chain may need it to end.
      try {
        closeFiles();
      } catch (IOException e) {
        // The failure concerns only descriptors: all relevant data was synced or is marked as
        // unsynced.
        LOG.warn("replica {} could not be closed: {}", name(), e.getMessage());
      }
    }
    then.run();
  }

  private void closeFiles() throws IOException {
    try {
      if (chain != null) {
        chain.close();
      }
      if (intents != null) {
        intents.close();
      }
    } finally {
      directory.unlock();
    }
  }
}
