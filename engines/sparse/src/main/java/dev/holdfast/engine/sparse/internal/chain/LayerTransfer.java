package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Copies layers between replicas: lists and reads local layers, receives missing ones. A received
 * layer joins a chain only when its metadata is written, so an interrupted copy resumes where it
 * stopped. The head is neither received nor changed.
 */
public final class LayerTransfer {
  private final ReplicaDirectory directory;
  private final LocalChain chain;
  private final LayerChecksums checksums;
  private final LayerRepair repair;

  LayerTransfer(ReplicaDirectory directory, LocalChain chain) {
    this.directory = directory;
    this.chain = chain;
    this.checksums = new LayerChecksums(directory);
    this.repair = new LayerRepair(directory, chain);
  }

  /** Returns all snapshots' layers, parents before children. */
  public List<LayerInfo> list() throws IOException {
    LayerTree tree = chain.tree();
    List<LayerInfo> layers = new ArrayList<>();
    for (String image : tree.parentsFirst()) {
      if (LonghornLayout.isSnapshot(image)) {
        try (ReplicaFile file = directory.open(image)) {
          layers.add(
              new LayerInfo(
                  image, tree.meta(image), file.size(), checksums.known(image).orElse("")));
        }
      }
    }
    return layers;
  }

  /** Reports the extents of a layer, in ascending order without gaps. */
  public void extents(String image, long offset, long length, ExtentVisitor visitor)
      throws IOException, StorageException {
    checkSnapshot(image);
    try (ReplicaFile file = directory.open(image)) {
      long end = Math.min(file.size(), offset + length);
      boolean more = true;
      for (long at = offset; more && at < end; ) {
        long data = LayerView.nextData(file, at, end);
        long next = data > at ? data : LayerView.nextHole(file, at, end);
        more = visitor.extent(at, next - at, data > at ? ExtentKind.HOLE : ExtentKind.DATA);
        at = next;
      }
    }
  }

  /** Fills the buffer from one layer only; holes read as zeroes. */
  public void read(String image, long offset, ByteBuffer target)
      throws IOException, StorageException {
    checkSnapshot(image);
    try (ReplicaFile file = directory.open(image)) {
      file.read(target, offset);
    }
  }

  /** Returns the length of a layer. */
  public long size(String image) throws IOException, StorageException {
    checkSnapshot(image);
    try (ReplicaFile file = directory.open(image)) {
      return file.size();
    }
  }

  /** Computes the checksum of a part of a layer. */
  public String checksum(String image, long offset, long length, LongConsumer pace)
      throws IOException, StorageException {
    checkSnapshot(image);
    boolean lowest = chain.files().lowest(chain.tree(), image);
    return checksums.compute(image, lowest, offset, length, pace);
  }

  /** Stores the checksum of a whole layer until the layer changes. */
  public void rememberChecksum(String image, String checksum) throws IOException, StorageException {
    checkSnapshot(image);
    checksums.remember(image, checksum);
  }

  /** Computes the checksums of regions, as {@link LayerChecksums#regions}. */
  public byte[] regionSums(String image, long offset, long end)
      throws IOException, StorageException {
    checkSnapshot(image);
    boolean lowest = chain.files().lowest(chain.tree(), image);
    return checksums.regions(image, lowest, offset, end);
  }

  /** Returns the stored checksums of a layer's regions; empty when none are stored. */
  public byte[] keptSums(String image) throws StorageException {
    checkSnapshot(image);
    return checksums.kept(image).orElseGet(() -> new byte[0]);
  }

  /** Stores the checksums of a layer's regions until the layer changes. */
  public void keepSums(String image, byte[] sums) throws IOException, StorageException {
    checkSnapshot(image);
    checksums.keep(image, sums);
  }

  /** Replaces a damaged part of a layer; without data, makes it a hole. */
  public void repair(String image, long offset, ByteBuffer right, long length)
      throws IOException, StorageException {
    checkSnapshot(image);
    if (right.hasRemaining()) {
      repair.write(image, offset, right);
    } else if (length > 0) {
      repair.punch(image, offset, length);
    } else {
      repair.grow(image, offset);
    }
  }

  /**
   * Starts to receive a layer, or resumes an interrupted one; an existing layer may be overwritten
   * in parts.
   */
  public void begin(String image, long size) throws IOException, StorageException {
    checkSnapshot(image);
    chain.state().soil();
    if (directory.files().contains(image)) {
      LayerChecksums.forget(directory, image);
      if (size(image) < size) {
        own(image);
        try (ReplicaFile file = directory.open(image)) {
          file.grow(size);
        }
      }
    } else {
      directory.create(image, size).close();
      directory.sync("");
    }
  }

  /** Writes data into a layer after {@link #begin}. */
  public void write(String image, long offset, ByteBuffer source)
      throws IOException, StorageException {
    checkSnapshot(image);
    own(image);
    try (ReplicaFile file = directory.open(image)) {
      file.write(source, offset);
    }
  }

  /**
   * Makes a range of a layer a hole after {@link #begin}: reads of it then reach the layers below.
   */
  public void punch(String image, long offset, long length) throws IOException, StorageException {
    checkSnapshot(image);
    own(image);
    try (ReplicaFile file = directory.open(image)) {
      file.punch(offset, length);
    }
  }

  // Synchronized because several pieces of a layer arrive concurrently.
  private synchronized void own(String image) throws IOException, StorageException {
    chain.shared().own(image, SharedLayers.Progress.UNHURRIED);
  }

  /** Makes a new layer durable before it records the layer in the metadata. */
  public void complete(String image, LayerMeta meta) throws IOException, StorageException {
    checkSnapshot(image);
    try (ReplicaFile file = directory.open(image)) {
      sync(file);
    }
    chain.store(image, meta.withName(image));
  }

  private void sync(ReplicaFile file) throws IOException {
    boolean done = false;
    try {
      file.sync();
      done = true;
    } finally {
      if (!done) {
        chain.layers().unsynced();
      }
    }
  }

  /** Removes a layer that the other replicas do not have. */
  public void discard(String image) throws IOException, StorageException {
    checkSnapshot(image);
    chain.state().soil();
    LayerChecksums.forget(directory, image);
    directory.remove(LonghornLayout.metaOf(image));
    directory.remove(image);
    chain.forget(image);
  }

  private void checkSnapshot(String image) throws StorageException {
    if (!LonghornLayout.isSnapshot(image)) {
      throw new StorageException(
          ErrorCode.INVALID, directory.path() + ": '" + image + "' is not the layer of a snapshot");
    }
  }
}
