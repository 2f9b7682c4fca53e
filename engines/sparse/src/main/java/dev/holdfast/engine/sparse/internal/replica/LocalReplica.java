package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.KnownLayers;
import dev.holdfast.engine.sparse.internal.chain.Layers;
import dev.holdfast.engine.sparse.internal.chain.LocalChain;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.chain.UnsyncedException;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.layout.VolumeState;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica on this node that let an engine in: it holds the directory's lock, has promised to let
 * in no older engine, and has its layers open. A witness has no layers, only the engine's state.
 * Requests complete on the caller's thread.
 */
public final class LocalReplica implements Member {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReplica.class);

  private final ReplicaLocation location;
  private final ReplicaDirectory directory;
  private final FencedReplica fenced;
  private final LocalChain chain;
  private final Layers layers;
  private final VolumeState state;
  private final Map<String, BitSet> missed;
  // Before this object's own lock.
  private final Object closing = new Object();
  private IntentLog intents;
  private boolean closed;
  private final UnsyncedRecord ifUnsynced;
  private final Object noting = new Object();
  private volatile boolean unsynced;
  private Runnable whenClosed = () -> {};
  private volatile IntConsumer whenUnsynced = failures -> {};

  private LocalReplica(
      ReplicaLocation location,
      ReplicaDirectory directory,
      FencedReplica fenced,
      LocalChain chain,
      UnsyncedRecord ifUnsynced) {
    this.location = location;
    this.directory = directory;
    this.fenced = fenced;
    this.chain = chain;
    this.layers = chain == null ? null : chain.layers();
    this.state =
        chain == null ? new VolumeState(directory, null, fenced.history().clean()) : chain.state();
    this.missed = new TreeMap<>(fenced.history().missed());
    this.ifUnsynced = ifUnsynced;
    if (chain != null) {
      layers.whenUnsynced(this::syncFailed);
      chain.beforeRevert(this::missAll);
    }
  }

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
      Optional<Heritage> heritage)
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
            what + " has let in engine " + history.promise() + ", later than " + token);
      }
      StateFiles.store(directory, StateFiles.PROMISE, token);
      int failures = UnsyncedRecord.settle(directory, hostBoot, failedSyncs);
      String boot = failures == 0 ? hostBoot : hostBoot + "#" + failures;
      Optional<KnownLayers> known =
          heritage.filter(left -> left.holdsAfter(history.promise())).map(Heritage::layers);
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
    if (meta.get().backingFilePath() != null && !meta.get().backingFilePath().isEmpty()) {
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

  /**
   * Tells what to do; once, right after it was fenced.
   *
   * @param closed when it is closed
   * @param unsynced how often syncs failed in this boot when one does, before anybody is told
   */
  synchronized void watch(Runnable closed, IntConsumer unsynced) {
    whenClosed = closed;
    whenUnsynced = unsynced;
  }

  /**
   * Returns what it leaves for the next session, empty when nothing needs to be known. No request
   * is at work, then or later.
   */
  public Optional<Heritage> heritage(Token token) {
    return chain == null
        ? Optional.empty()
        : chain.known().map(layers -> new Heritage(token, layers));
  }

  /** Returns what it said when it was fenced. */
  public FencedReplica fenced() {
    return fenced;
  }

  @Override
  public ReplicaLocation location() {
    return location;
  }

  @Override
  public String id() {
    return fenced.identity().id();
  }

  @Override
  public long size() {
    return fenced.size();
  }

  @Override
  public ReplicaHistory history() {
    return fenced.history();
  }

  @Override
  public boolean intact() {
    return fenced.intact();
  }

  @Override
  public boolean incomplete() {
    return fenced.incomplete();
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
    } catch (RuntimeException e) {
      failure = defect(e);
    }
    done.completed(failure, failure == null ? length : 0);
  }

  /**
   * Reads into a part of the buffer if nothing has to be waited for, above all no disk.
   *
   * @return false when it has to, when nobody knows, or when it failed: nothing was read then
   */
  public boolean readNow(long offset, ByteBuffer target, int position, int length) {
    try {
      return layers.readNow(offset, target.limit(position + length).position(position));
    } catch (IOException e) {
      // It is told of when the read is made in earnest.
      return false;
    } finally {
      target.limit(position + length);
    }
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    StorageException failure = null;
    try {
      layers.write(offset, source.limit(position + length).position(position));
    } catch (IOException e) {
      failure = failure(e);
    } catch (RuntimeException e) {
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
    } catch (RuntimeException e) {
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
    } catch (RuntimeException e) {
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
    } catch (RuntimeException e) {
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

  // An engine that was superseded may still be about to do something.
  private synchronized void checkHeld() throws StorageException {
    if (closed) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "replica " + name() + " was closed, perhaps for another engine");
    }
  }

  private StorageException defect(RuntimeException cause) {
    return new StorageException(ErrorCode.INTERNAL, "replica " + name(), cause);
  }

  /** The first marking also takes back the word that the replica was closed in order. */
  @Override
  public synchronized void mark(BitSet regions) throws StorageException {
    checkHeld();
    try {
      state.soil();
      if (intents == null) {
        // Fenced again by the engine that had it: what it marked before still counts.
        storeMarks(fenced.history().marked());
      }
      intents.mark(regions);
      for (Map.Entry<String, BitSet> absent : missed.entrySet()) {
        BitSet more = union(absent.getValue(), regions);
        if (!more.equals(absent.getValue())) {
          storeMissed(absent.getKey(), more);
          absent.setValue(more);
        }
      }
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
      intents = IntentLog.create(directory, fenced.boot(), marked);
    } else {
      intents.replace(fenced.boot(), marked);
    }
  }

  @Override
  public synchronized void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet regions)
      throws StorageException {
    checkHeld();
    try {
      for (String id : absent) {
        BitSet all = union(missed.getOrDefault(id, new BitSet()), regions);
        storeMissed(id, all);
        missed.put(id, all);
      }
      StateFiles.store(directory, StateFiles.EPOCH, epoch);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private void storeMissed(String id, BitSet regions) throws IOException {
    StateFiles.store(directory, StateFiles.MISSED_PREFIX + id, regions.toLongArray());
  }

  private static BitSet union(BitSet one, BitSet other) {
    BitSet all = (BitSet) one.clone();
    all.or(other);
    return all;
  }

  @Override
  public synchronized void seal() throws StorageException {
    checkHeld();
    if (chain != null) {
      // What it would change is part of the fingerprint.
      chain.stopCoalescing();
    }
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

  @Override
  public ReplicaChain chain() {
    return chain;
  }

  @Override
  public LayerReply layer(LayerRequest request) throws StorageException {
    try {
      return switch (request.getKind()) {
        case MISSED -> missed();
        case REPLACE_MISSED -> replaceMissed(request.getMissedMap());
        case FORGET_MISSED -> forgetMissed(request.getNamesList());
        default -> new LayerAnswers(data()).to(request);
      };
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private LocalChain data() throws StorageException {
    if (chain == null) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "replica " + name() + " holds no data");
    }
    return chain;
  }

  private synchronized LayerReply missed() {
    LayerReply.Builder reply = LayerReply.newBuilder();
    missed.forEach((id, regions) -> reply.putMissed(id, ReplicaMessages.regions(regions)));
    return reply.build();
  }

  private synchronized LayerReply replaceMissed(
      Map<String, dev.holdfast.engine.sparse.rpc.Regions> next)
      throws IOException, StorageException {
    forgetMissed(List.copyOf(missed.keySet()));
    for (Map.Entry<String, dev.holdfast.engine.sparse.rpc.Regions> absent : next.entrySet()) {
      BitSet regions = ReplicaMessages.regions(absent.getValue());
      storeMissed(absent.getKey(), regions);
      missed.put(absent.getKey(), regions);
    }
    return LayerReply.getDefaultInstance();
  }

  private synchronized LayerReply forgetMissed(List<String> ids) throws IOException {
    for (String id : ids) {
      if (missed.remove(id) != null) {
        directory.remove(StateFiles.MISSED_PREFIX + id);
      }
    }
    return LayerReply.getDefaultInstance();
  }

  /** Absent replicas miss everything: what the volume holds was put back. */
  private synchronized void missAll() throws IOException {
    for (Map.Entry<String, BitSet> absent : missed.entrySet()) {
      BitSet all = new BitSet();
      all.set(0, Regions.count(state.meta().size()));
      storeMissed(absent.getKey(), all);
      absent.setValue(all);
    }
  }

  /**
   * Closes it for another bundle that serves it next; no request is at work. What no sync failed in
   * goes on there as if nothing had been.
   */
  void leave() {
    synchronized (this) {
      if (!closed && !unsynced) {
        try {
          new ServedRecord(fenced.boot(), fenced.incarnation()).leave(directory);
        } catch (IOException e) {
          LOG.warn("replica {} is served anew: {}", name(), e.getMessage());
        }
      }
    }
    close();
  }

  // Noted before anybody hears of it, so that nobody who comes next believes what the kernel shows.
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
