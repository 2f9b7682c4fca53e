package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.IntConsumer;

/**
 * One change to the head of several layers. No other thread changes the same blocks until it ends.
 */
final class LayerWriter {
  private static final int SHIFT = BlockIndex.BLOCK_SHIFT;
  private static final long IN_BLOCK = BlockIndex.BLOCK_SIZE - 1L;
  private static final int ZERO_BUFFER = 1 << 20;

  private final LayerView view;
  private final BlockIndex index;
  private final int head;
  private final boolean unknownBelow;
  private final IntConsumer punched;

  /**
   * Prepares a change.
   *
   * @param view the layers
   * @param unknownBelow whether the layers below the head are being replaced, so that their present
   *     content is not final
   * @param punched receives the slot of each layer below the head that was punched
   */
  LayerWriter(LayerView view, boolean unknownBelow, IntConsumer punched) {
    this.view = view;
    this.index = view.index();
    this.head = view.headSlot();
    this.unknownBelow = unknownBelow;
    this.punched = punched;
  }

  void write(long offset, ByteBuffer source) throws IOException {
    if (index == null) {
      view.head().write(source, offset);
      return;
    }
    long end = offset + source.remaining();
    if (end > offset) {
      copyUpEdges(offset, end);
      put(source, offset);
    }
  }

  // A write that fails, for lack of space, may have put its first blocks into the head. Assign them
  // to the head now, as the next opening of the files will.
  private void put(ByteBuffer source, long at) throws IOException {
    long first = at >> SHIFT;
    long end = (at + source.remaining() + IN_BLOCK) >> SHIFT;
    try {
      view.head().write(source, at);
    } catch (IOException e) {
      locate(first, end, e);
      throw e;
    }
    index.set(first, end, head);
  }

  private void locate(long first, long end, IOException cause) {
    try {
      for (long block = first; block < end; block++) {
        index.set(block, block + 1, view.holder(block));
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  void zero(long offset, long length, boolean allocated) throws IOException {
    if (index == null) {
      Layers.zeroHead(view, offset, length, allocated);
      return;
    }
    long end = offset + length;
    copyUpEdges(offset, end);
    if (unknownBelow) {
      writeZeroes(offset, end);
      return;
    }
    if (!allocated) {
      clearHidden((offset + IN_BLOCK) & ~IN_BLOCK, end & ~IN_BLOCK);
    }
    for (long at = offset; at < end; ) {
      long runEnd = runEnd(at, end);
      zeroRun(view.layer(at >> SHIFT), at, runEnd, allocated);
      at = runEnd;
    }
  }

  private long runEnd(long at, long end) {
    return Math.min(end, index.runEnd(at >> SHIFT, (end + IN_BLOCK) >> SHIFT) << SHIFT);
  }

  /**
   * Punches whole blocks in layers that only the head uses, where an upper layer has newer content.
   * Afterwards the upper layer can be punched too, instead of hiding the lower blocks with zeroes.
   * The lower punches are made durable first, because a power cut could otherwise bring old content
   * back.
   */
  private void clearHidden(long from, long end) throws IOException {
    BitSet cleared = new BitSet();
    for (long at = from; at < end; ) {
      long runEnd = runEnd(at, end);
      int layer = view.layer(at >> SHIFT);
      if (layer == head || view.loose(layer)) {
        clearBelow(layer, at, runEnd, cleared);
      }
      at = runEnd;
    }
    for (int slot = cleared.nextSetBit(0); slot >= 0; slot = cleared.nextSetBit(slot + 1)) {
      sync(view.file(slot));
    }
  }

  private void clearBelow(int layer, long from, long to, BitSet cleared) throws IOException {
    for (int slot : view.looseBelow(layer)) {
      ReplicaFile file = view.file(slot);
      for (long at = LayerView.nextData(file, from, to); at < to; ) {
        long hole = LayerView.nextHole(file, at, to);
        long free = Math.min(hole, view.keptBelow(at, hole));
        if (free > at) {
          file.punch(at, free - at);
          punched.accept(slot);
          cleared.set(slot);
        }
        long next = free > at ? free : Math.max(at + 1, view.keptUpTo(at, hole));
        at = LayerView.nextData(file, next, to);
      }
    }
  }

  private static void sync(ReplicaFile file) throws IOException {
    try {
      file.sync();
    } catch (IOException e) {
      throw new UnsyncedException(e);
    }
  }

  /** Zeroes a range that one layer holds. */
  private void zeroRun(int layer, long from, long to, boolean allocated) throws IOException {
    for (long at = from; at < to; ) {
      long aligned = at & ~IN_BLOCK;
      long limit = (to + IN_BLOCK) & ~IN_BLOCK;
      long bare = Math.min(to, nextBelow(layer, aligned, limit));
      if (bare > at) {
        zeroBare(layer, at, bare, allocated);
        at = bare;
      } else {
        long covered = Math.min(to, view.coveredBelow(layer, aligned, limit));
        writeZeroes(at, covered);
        at = covered;
      }
    }
  }

  private long nextBelow(int layer, long at, long end) throws IOException {
    return layer == BlockIndex.NOWHERE ? end : view.dataBelow(layer, at, end);
  }

  /** Zeroes a range where the layers below {@code layer} hold no data. */
  private void zeroBare(int layer, long from, long to, boolean allocated) throws IOException {
    if (allocated) {
      // A file system may report an allocated, unwritten range as a hole later. That is harmless
      // here, because the layers below hold no data.
      if (layer == head || layer == BlockIndex.NOWHERE) {
        view.head().zero(from, to - from);
      } else {
        writeZeroes(from, to);
      }
      index.set(from >> SHIFT, (to + IN_BLOCK) >> SHIFT, head);
    } else if (layer == head) {
      view.head().punch(from, to - from);
      forget(from, to);
    } else if (layer != BlockIndex.NOWHERE) {
      zeroBelow(layer, from, to);
    }
  }

  // The only copy of these blocks is in a lower layer: punch it if no other layer needs it.
  private void zeroBelow(int layer, long from, long to) throws IOException {
    ReplicaFile file = view.file(layer);
    for (long at = from; at < to; ) {
      long data = Math.min(to, LayerView.nextData(file, at, to));
      if (data > at) {
        at = data;
        continue;
      }
      long hole = Math.min(to, LayerView.nextHole(file, at, to));
      if (view.loose(layer)) {
        file.punch(at, hole - at);
        punched.accept(layer);
        forget(at, hole);
      } else {
        writeZeroes(at, hole);
      }
      at = hole;
    }
  }

  private void forget(long from, long to) throws IOException {
    long baseSize = view.file(view.baseSlot()).size();
    long first = (from + IN_BLOCK) >> SHIFT;
    long end = to >> SHIFT;
    long inBase = Math.min(end, LayerScan.blocks(baseSize));
    if (first < inBase) {
      index.set(first, inBase, view.baseSlot());
    }
    if (Math.max(first, inBase) < end) {
      index.set(Math.max(first, inBase), end, BlockIndex.NOWHERE);
    }
  }

  // Above snapshots, zeroes must be written data: a file system may report an allocated but
  // unwritten range as a hole, and the next opening would then show the content of lower layers.
  private void writeZeroes(long from, long to) throws IOException {
    ByteBuffer zeroes = ByteBuffer.allocateDirect((int) Math.min(to - from, ZERO_BUFFER));
    for (long at = from; at < to; at += zeroes.limit()) {
      zeroes.clear().limit((int) Math.min(to - at, zeroes.capacity()));
      put(zeroes, at);
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
    int layer = view.layer(block);
    if (unknownBelow || layer == head || layer == BlockIndex.NOWHERE) {
      return;
    }
    ByteBuffer content = ByteBuffer.allocateDirect(BlockIndex.BLOCK_SIZE);
    view.file(layer).read(content, block << SHIFT);
    view.head().write(content.flip(), block << SHIFT);
    index.set(block, block + 1, head);
  }
}
