package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;

/**
 * Open readers of snapshots. Each reader has its own open files, so that its content stays the same
 * when the layers change. The most recently opened readers stay open.
 */
final class SnapshotReaders implements Closeable {
  /**
   * The open layers of a snapshot.
   *
   * @param names names of the files, the oldest first
   * @param files the open files, in the same order
   */
  record OpenChain(List<String> names, List<ReplicaFile> files) {}

  /** Opens the layers of a snapshot. */
  @FunctionalInterface
  interface Opener {
    OpenChain open(String snapshot) throws IOException, StorageException;
  }

  private static final int KEPT = 4;

  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  // Guarded by the lock; the reader that was opened first is closed first.
  private final Map<String, Layers> readers = new LinkedHashMap<>();

  /**
   * Fills the buffer from a snapshot; bytes behind its end are zero.
   *
   * @return false when the snapshot must be opened first
   */
  boolean read(String snapshot, long offset, ByteBuffer target) throws IOException {
    lock.readLock().lock();
    try {
      Layers layers = readers.get(snapshot);
      if (layers == null) {
        return false;
      }
      int limit = target.limit();
      long inside = Math.max(0, Math.min(target.remaining(), layers.size() - offset));
      layers.read(offset, target.limit(target.position() + (int) inside));
      Zeroes.fill(target.limit(limit));
      return true;
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Opens a snapshot. The caller holds the chain's lock, which is taken before this object's lock.
   */
  void open(String snapshot, Opener opener) throws IOException, StorageException {
    lock.writeLock().lock();
    try {
      if (!readers.containsKey(snapshot)) {
        readers.put(snapshot, Layers.ofTop(opener.open(snapshot)));
        if (readers.size() > KEPT) {
          release(readers.keySet().iterator().next());
        }
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Closes a snapshot's files, if they are open. */
  void release(String snapshot) throws IOException {
    lock.writeLock().lock();
    try {
      Layers layers = readers.remove(snapshot);
      if (layers != null) {
        layers.close();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Returns the layers' files of all open snapshots. */
  Set<String> open() {
    lock.readLock().lock();
    try {
      return readers.keySet().stream()
          .map(LonghornLayout::imageOf)
          .collect(Collectors.toUnmodifiableSet());
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void close() throws IOException {
    for (String image : open()) {
      release(LonghornLayout.snapshotOf(image));
    }
  }
}
