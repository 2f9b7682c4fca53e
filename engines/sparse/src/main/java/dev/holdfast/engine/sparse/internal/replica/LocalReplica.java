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
 * A replica on this node that admitted an engine: it holds the directory's lock, rejects every
 * older engine, and has its layers open. A witness has no layers, only the engine's state. Requests
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
  // Before this object's own lock.
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
   * Sets the actions; once, directly after the fence.
   *
   * @param closed when it is closed
   * @param unsynced how often syncs failed in this boot when one does, before the failure is
   *     reported
   */
  synchronized void watch(Runnable closed, IntConsumer unsynced) {
    whenClosed = closed;
    whenUnsynced = unsynced;
  }

  /**
   * Returns what it leaves for the next session, empty when nothing needs to be known. No request
   * is in flight, then or later.
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

  /** Reads and fills what remains of the buffer, without a completion. */
  public void read(long offset, ByteBuffer target) throws IOException {
    layers.read(offset, target);
  }

  /** Writes what remains of the buffer, without a completion. */
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
   * Reads into a part of the buffer if nothing has to be waited for, above all no disk.
   *
   * @return false when it has to, when that is unknown, or when it failed: nothing was read then
   */
  public boolean readNow(long offset, ByteBuffer target, int position, int length) {
    try {
      return layers.readNow(offset, target.limit(position + length).position(position));
    } catch (IOException e) {
      // It is reported when the caller makes the read itself.
      return false;
    } finally {
      target.limit(position + length);
    }
  }

  /** Returns whether {@link #readNow} fails only for what has to be read from the disk. */
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
      // Also one for lack of space: the kernel forgets what it could not write, so it is not over
      // when there is room.
      failure = new StorageException(ErrorCode.IO, "replica " + name() + ": " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      failure = defect(e);
    }
    done.completed(failure, 0);
  }

  @Override
  public void endOfBatch() {
    // Nothing was collected: every request was done when its call returned.
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

  // A want of memory too ends the request that meets it, and no other.
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
        // Fenced again by the engine that had it: what it marked before still counts.
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
      // What it would change is part of the fingerprint. Without this object's lock: a coalescing
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

  /** Writes into a layer that was begun. */
  public void writeLayer(String image, long offset, ByteBuffer source) throws StorageException {
    try {
      data().transfer().write(image, offset, source);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Returns the length of a layer that is there or was begun. */
  public long layerSize(String image) throws StorageException {
    try {
      return data().transfer().size(image);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /**
   * Gives the layers of a snapshot to a replica that is being made, as {@link LocalChain#share}.
   */
  SharedSnapshot share(String snapshot, Path folder) throws StorageException {
    return data().share(location().volume(), snapshot, folder);
  }

  /** Returns the base that its layers stand on. */
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

  /** Marks all regions as missing on absent replicas: the content of the volume was restored. */
  private synchronized void missAll() throws IOException {
    missed.addAll(state.meta().size());
  }

  /**
   * Closes it for another bundle that serves it next; no request is in flight. Content without a
   * failed sync is served there unchanged.
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

  // Noted before the failure is reported, so that the next opening does not believe what the kernel
  // shows.
  private void syncFailed() {
    synchronized (noting) {
      if (unsynced) {
        return;
      }
      unsynced = true;
      try {
        ifUnsynced.store(directory);
      } catch (IOException e) {
        LOG.warn("replica {}: that a sync failed is not noted: {}", name(), e.getMessage());
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
      // Without this object's lock, which an operation of the chain may need to end.
      try {
        closeFiles();
      } catch (IOException e) {
        // Only descriptors: everything that matters was synced or is marked as not synced.
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
