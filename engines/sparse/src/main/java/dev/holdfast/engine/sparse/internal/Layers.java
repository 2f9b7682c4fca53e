package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of one replica: a head over the snapshots below it, each a sparse file in which a hole
 * means "look further down". Layers are numbered from 1, the oldest, and addressed by number only.
 *
 * <p>A replica without snapshots, the usual case, has no index: every request goes to the head as
 * it is. Above snapshots, requests that overlap must not run together when one of them writes.
 */
final class Layers implements Closeable {
  private static final int SHIFT = BlockIndex.BLOCK_SHIFT;
  private static final long IN_BLOCK = BlockIndex.BLOCK_SIZE - 1L;

  private final List<ReplicaFile> files;
  private final ReplicaFile head;
  private final int headLayer;
  private final long size;
  private final BlockIndex index;
  // What the layers below the head hold: tells whether a hole in the head would read as zeroes.
  private final BlockIndex below;

  private Layers(List<ReplicaFile> files, long size, BlockIndex index, BlockIndex below) {
    this.files = files;
    this.headLayer = files.size();
    this.head = files.get(headLayer - 1);
    this.size = size;
    this.index = index;
    this.below = below;
  }

  /** Opens the named files, the oldest first, and learns where their data is. */
  static Layers open(ReplicaDirectory directory, List<String> names, long size) throws IOException {
    List<ReplicaFile> files = new ArrayList<>();
    try {
      for (String name : names) {
        files.add(directory.open(name));
      }
      if (files.size() == 1) {
        return new Layers(files, size, null, null);
      }
      BlockIndex index = new BlockIndex((size + IN_BLOCK) >> SHIFT);
      for (int layer = 1; layer < files.size(); layer++) {
        addExtents(index, files.get(layer - 1), layer);
      }
      BlockIndex below = index.copy();
      addExtents(index, files.get(files.size() - 1), files.size());
      below.compact();
      index.compact();
      return new Layers(files, size, index, below);
    } catch (IOException e) {
      closeAll(files);
      throw e;
    }
  }

  private static void addExtents(BlockIndex index, ReplicaFile file, int layer) throws IOException {
    long end = Math.min(file.size(), index.blocks() << SHIFT);
    long data = file.nextData(0);
    while (data >= 0 && data < end) {
      long hole = Math.min(file.nextHole(data), end);
      index.set(data >> SHIFT, (hole + IN_BLOCK) >> SHIFT, layer);
      data = file.nextData(hole);
    }
  }

  /** Returns whether there are snapshots below the head. */
  boolean chained() {
    return index != null;
  }

  void read(long offset, ByteBuffer target) throws IOException {
    if (index == null) {
      head.read(target, offset);
      return;
    }
    int limit = target.limit();
    long at = offset;
    long end = offset + target.remaining();
    while (at < end) {
      int layer = index.layer(at >> SHIFT);
      long runEnd = Math.min(end, index.runEnd(at >> SHIFT, (end + IN_BLOCK) >> SHIFT) << SHIFT);
      target.limit(target.position() + (int) (runEnd - at));
      if (layer == BlockIndex.NOWHERE) {
        Zeroes.fill(target);
      } else {
        files.get(layer - 1).read(target, at);
      }
      target.limit(limit);
      at = runEnd;
    }
  }

  void write(long offset, ByteBuffer source) throws IOException {
    if (index == null) {
      head.write(source, offset);
      return;
    }
    long end = offset + source.remaining();
    if (end > offset) {
      copyUpEdges(offset, end);
      head.write(source, offset);
      index.set(offset >> SHIFT, (end + IN_BLOCK) >> SHIFT, headLayer);
    }
  }

  /** Makes a range read as zeroes, exactly. */
  void zero(long offset, long length, boolean allocated) throws IOException {
    if (length == 0) {
      return;
    }
    if (index == null) {
      zeroHead(offset, offset + length, allocated);
      return;
    }
    long end = offset + length;
    copyUpEdges(offset, end);
    for (long at = offset; at < end; ) {
      long block = at >> SHIFT;
      long limit = (end + IN_BLOCK) >> SHIFT;
      boolean covered = below.layer(block) != BlockIndex.NOWHERE;
      long run = index.runEnd(block, below.runEnd(block, limit));
      long runEnd = Math.min(end, run << SHIFT);
      if (covered) {
        writeZeroes(at, runEnd);
        index.set(block, run, headLayer);
      } else {
        zeroHead(at, runEnd, allocated);
        if (allocated) {
          index.set(block, run, headLayer);
        } else {
          index.set((at + IN_BLOCK) >> SHIFT, runEnd >> SHIFT, BlockIndex.NOWHERE);
        }
      }
      at = runEnd;
    }
  }

  private void zeroHead(long from, long to, boolean allocated) throws IOException {
    if (allocated) {
      head.zero(from, to - from);
    } else {
      head.punch(from, to - from);
    }
  }

  // Above snapshots zeroes must be data: a file system may report an allocated but unwritten range
  // as a hole, and the next opening would look through it.
  private void writeZeroes(long from, long to) throws IOException {
    ByteBuffer zeroes = ByteBuffer.allocateDirect((int) Math.min(to - from, 1 << 20));
    for (long at = from; at < to; at += zeroes.limit()) {
      zeroes.clear().limit((int) Math.min(to - at, zeroes.capacity()));
      head.write(zeroes, at);
    }
  }

  private void copyUpEdges(long offset, long end) throws IOException {
    if ((offset & IN_BLOCK) != 0) {
      copyUp(offset >> SHIFT);
    }
    if ((end & IN_BLOCK) != 0) {
      copyUp(end >> SHIFT);
    }
  }

  private void copyUp(long block) throws IOException {
    int layer = index.layer(block);
    if (layer == headLayer || layer == BlockIndex.NOWHERE) {
      return;
    }
    ByteBuffer content = ByteBuffer.allocateDirect(BlockIndex.BLOCK_SIZE);
    files.get(layer - 1).read(content, block << SHIFT);
    head.write(content.flip(), block << SHIFT);
    index.set(block, block + 1, headLayer);
  }

  /** Reports how a range is stored. */
  void extents(long offset, long length, ExtentVisitor visitor) throws IOException {
    long end = offset + length;
    boolean more = true;
    for (long at = offset; more && at < end; ) {
      boolean data = dataAt(at);
      long next = Math.min(end, data ? nextHole(at, end) : nextData(at, end));
      more = visitor.extent(at, next - at, data ? ExtentKind.DATA : ExtentKind.HOLE);
      at = next;
    }
  }

  private boolean dataAt(long at) throws IOException {
    return index == null ? head.nextData(at) == at : index.layer(at >> SHIFT) != BlockIndex.NOWHERE;
  }

  private long nextHole(long at, long end) throws IOException {
    if (index == null) {
      long hole = head.nextHole(at);
      return hole <= at ? end : hole;
    }
    return index.runEnd(at >> SHIFT, (end + IN_BLOCK) >> SHIFT) << SHIFT;
  }

  private long nextData(long at, long end) throws IOException {
    if (index == null) {
      long data = head.nextData(at);
      return data <= at ? end : data;
    }
    return index.runEnd(at >> SHIFT, (end + IN_BLOCK) >> SHIFT) << SHIFT;
  }

  /** Makes completed writes, zeroes and holes durable. Only the head ever changes. */
  void sync() throws IOException {
    head.sync();
  }

  long size() {
    return size;
  }

  @Override
  public void close() throws IOException {
    closeAll(files);
  }

  private static void closeAll(List<ReplicaFile> files) throws IOException {
    IOException failure = null;
    for (ReplicaFile file : files) {
      try {
        file.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
