package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Layers whose file another replica has too, under another name. Such a file never changes: before
 * a layer changes, it is copied to a file that only this replica has. The file system counts the
 * names of a file, so this class keeps no state that needs repair.
 *
 * <pre>
 *   copy beside it, synced -> takes the layer's name -> directory synced -> the layer may change
 *   |  removed by the next opening                  |
 * </pre>
 */
public final class SharedLayers {
  private static final Logger LOG = LoggerFactory.getLogger(SharedLayers.class);
  private static final String COPY_SUFFIX = ".own";
  private static final int PIECE = 1 << 20;

  /** Receives the number of copied bytes after each piece; may end the copy by throwing. */
  @FunctionalInterface
  interface Progress {
    /** No pause between pieces. */
    Progress UNHURRIED = bytes -> {};

    void copied(long bytes) throws IOException, StorageException;
  }

  private final ReplicaDirectory directory;
  private final LocalChain chain;

  SharedLayers(ReplicaDirectory directory, LocalChain chain) {
    this.directory = directory;
    this.chain = chain;
  }

  /** Returns those of the given layers whose file another replica has too. */
  Set<String> among(Collection<String> images) throws IOException {
    Set<String> shared = new HashSet<>();
    for (String image : images) {
      if (directory.shared(image)) {
        shared.add(image);
      }
    }
    return shared;
  }

  /**
   * Copies a layer that is shared to a file of this replica, durably; else does nothing. Until then
   * the layer is neither coalesced nor punched; requests continue. The caller does not hold the
   * chain's lock, except in an operation during which no other thread works on layers.
   */
  void own(String image, Progress progress) throws IOException, StorageException {
    if (!directory.shared(image)) {
      return;
    }
    ReplicaFile copy = copy(directory, image, progress);
    boolean renamed = false;
    boolean used = false;
    try {
      synchronized (chain) {
        chain.state().soil();
        chain.releaseAll();
        directory.rename(image + COPY_SUFFIX, image);
        renamed = true;
        used = chain.layers().exchange(image, copy);
        directory.sync("");
      }
    } finally {
      if (!used) {
        copy.close();
      }
      if (!renamed) {
        directory.remove(image + COPY_SUFFIX);
      }
    }
  }

  /**
   * Copies a shared layer of a closed replica to a file of this replica, durably; else does
   * nothing.
   */
  public static void ownClosed(ReplicaDirectory directory, String image)
      throws IOException, StorageException {
    if (directory.shared(image)) {
      directory.remove(image + COPY_SUFFIX);
      copy(directory, image, Progress.UNHURRIED).close();
      directory.rename(image + COPY_SUFFIX, image);
      directory.sync("");
    }
  }

  /** Removes the files of a copy that a crash interrupted. */
  static void recover(ReplicaDirectory directory) throws IOException {
    for (String file : directory.files()) {
      if (file.endsWith(COPY_SUFFIX)) {
        directory.remove(file);
      }
    }
  }

  private static ReplicaFile copy(ReplicaDirectory directory, String image, Progress progress)
      throws IOException, StorageException {
    LOG.info("{}: copying the shared layer {} into a file of its own", directory.path(), image);
    boolean done = false;
    ReplicaFile copy = null;
    try (ReplicaFile shared = directory.open(image)) {
      copy = directory.create(image + COPY_SUFFIX, shared.size());
      copyData(shared, copy, progress);
      copy.sync();
      done = true;
      return copy;
    } finally {
      if (!done && copy != null) {
        copy.close();
        directory.remove(image + COPY_SUFFIX);
      }
    }
  }

  private static void copyData(ReplicaFile from, ReplicaFile to, Progress progress)
      throws IOException, StorageException {
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    long size = from.size();
    for (long at = LayerView.nextData(from, 0, size); at < size; ) {
      long end = LayerView.nextHole(from, at, Math.min(size, at + PIECE));
      from.read(piece.clear().limit((int) (end - at)), at);
      to.write(piece.flip(), at);
      progress.copied(end - at);
      at = LayerView.nextData(from, end, size);
    }
  }
}
