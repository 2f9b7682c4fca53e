package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A replica that let this engine in: it holds the directory's lock, has promised to let in no older
 * engine, and has its layers open.
 */
final class Replica implements Closeable {
  private final ReplicaLocation location;
  private final ReplicaDirectory directory;
  private final ReplicaIdentity identity;
  private final ReplicaHistory history;
  private final String boot;
  private final Layers layers;
  private final Map<String, BitSet> missed;
  private VolumeMeta meta;
  private IntentLog intents;
  private boolean clean;

  private Replica(
      ReplicaLocation location,
      ReplicaDirectory directory,
      VolumeMeta meta,
      ReplicaIdentity identity,
      ReplicaHistory history,
      String boot,
      Layers layers) {
    this.location = location;
    this.directory = directory;
    this.meta = meta;
    this.identity = identity;
    this.history = history;
    this.boot = boot;
    this.layers = layers;
    this.missed = new TreeMap<>(history.missed());
    this.clean = history.clean();
  }

  /**
   * Fences a replica: from now on it belongs to this engine, or this fails.
   *
   * @throws StorageException BUSY when another engine has it locked, CONFLICT when it has promised
   *     itself to a later engine, NOT_FOUND, INVALID, IO
   */
  static Replica fence(
      ReplicaLocation location, ReplicaDirectory directory, long size, Token token, String boot)
      throws StorageException {
    String what = "replica " + location.replica() + " at " + directory.path();
    boolean done = false;
    try {
      VolumeMeta meta = checkedMeta(what, directory, size);
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
      Layers layers = Layers.open(directory, LonghornLayout.chain(directory, meta), size);
      done = true;
      return new Replica(location, directory, meta, identity, history, boot, layers);
    } catch (IOException e) {
      throw StorageException.io(what + " cannot be opened", e);
    } finally {
      if (!done) {
        unlockQuietly(directory);
      }
    }
  }

  private static VolumeMeta checkedMeta(String what, ReplicaDirectory directory, long size)
      throws IOException, StorageException {
    Optional<VolumeMeta> meta = LonghornLayout.volumeMeta(directory);
    if (meta.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, what + " is not there");
    }
    if (meta.get().size() != size) {
      throw new StorageException(
          ErrorCode.INVALID,
          what + " has a size of " + meta.get().size() + " bytes, the volume one of " + size);
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

  String name() {
    return location.replica();
  }

  ReplicaLocation location() {
    return location;
  }

  String id() {
    return identity.id();
  }

  /** Returns what the directory told of its past when it was fenced. */
  ReplicaHistory history() {
    return history;
  }

  /** Returns whether nothing that was written to it can be missing. */
  boolean intact() {
    return history.marked().isEmpty() || history.boot().equals(boot);
  }

  /** Returns whether it is half of a copy that was never finished. */
  boolean incomplete() {
    return meta.rebuilding();
  }

  boolean chained() {
    return layers.chained();
  }

  void read(long offset, ByteBuffer target) throws IOException {
    layers.read(offset, target);
  }

  void write(long offset, ByteBuffer source) throws IOException {
    layers.write(offset, source);
  }

  void zero(long offset, long length, boolean allocated) throws IOException {
    layers.zero(offset, length, allocated);
  }

  void extents(long offset, long length, ExtentVisitor visitor) throws IOException {
    layers.extents(offset, length, visitor);
  }

  /** Makes everything that was written durable. After a failure the replica is not to be used. */
  void sync() throws IOException {
    layers.sync();
  }

  /**
   * Marks regions durably, here and among what absent replicas miss, before a write into them. The
   * first marking also takes back the word that the replica was closed in order.
   */
  synchronized void mark(int first, int count) throws IOException {
    if (!meta.dirty() || clean) {
      directory.remove(StateFiles.CLEAN);
      clean = false;
      VolumeMeta dirty = meta.withDirty(true);
      LonghornLayout.store(directory, dirty);
      meta = dirty;
    }
    intents.mark(first, count);
    for (Map.Entry<String, BitSet> absent : missed.entrySet()) {
      BitSet regions = absent.getValue();
      if (regions.nextClearBit(first) < first + count) {
        BitSet more = (BitSet) regions.clone();
        more.set(first, first + count);
        storeMissed(absent.getKey(), more);
        absent.setValue(more);
      }
    }
  }

  /** Replaces the marks durably. */
  synchronized void replaceMarks(BitSet marked) throws IOException {
    if (intents == null) {
      intents = IntentLog.create(directory, boot, marked);
    } else {
      intents.replace(boot, marked);
    }
  }

  /** Makes a new epoch durable, and what the absent replicas miss: these regions and older ones. */
  synchronized void recordEpoch(Epoch epoch, Iterable<String> absent, BitSet regions)
      throws IOException {
    for (String id : absent) {
      BitSet all = (BitSet) missed.getOrDefault(id, new BitSet()).clone();
      all.or(regions);
      storeMissed(id, all);
      missed.put(id, all);
    }
    StateFiles.store(directory, StateFiles.EPOCH, epoch);
  }

  private void storeMissed(String id, BitSet regions) throws IOException {
    StateFiles.store(directory, StateFiles.MISSED_PREFIX + id, regions.toLongArray());
  }

  /** Remembers that the replica was closed in order; everything was synced on all of them. */
  synchronized void seal() throws IOException {
    if (!clean) {
      replaceMarks(new BitSet());
      meta = meta.withDirty(false);
      LonghornLayout.store(directory, meta);
      StateFiles.store(directory, StateFiles.CLEAN, directory.fingerprint());
      clean = true;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    try {
      layers.close();
      if (intents != null) {
        intents.close();
      }
    } finally {
      directory.unlock();
    }
  }
}
