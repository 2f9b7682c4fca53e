package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Immutable state of a replica's layers, except the index, which changes. A slot is a number that
 * identifies a layer in the index and stays the same while other layers are added and removed.
 *
 * <p>The index assigns blocks that no upper layer holds to the oldest layer, whether it has data
 * there or a hole. Both read correctly, and the index need not be searched for the oldest layer's
 * holes.
 */
final class LayerView implements Closeable {
  private final ReplicaFile[] files;
  private final String[] names;
  private final boolean[] loose;
  private final int[] order;
  private final long size;
  private final BlockIndex index;
  private final Moved moved;

  /**
   * Translation of a slot that is no longer in the order and stays in the index until all its
   * entries are replaced.
   */
  private record Moved(int from, int to) {
    static final Moved NONE = new Moved(BlockIndex.NOWHERE, BlockIndex.NOWHERE);
  }

  private LayerView(
      ReplicaFile[] files,
      String[] names,
      boolean[] loose,
      int[] order,
      long size,
      BlockIndex index,
      Moved moved) {
    this.files = files;
    this.names = names;
    this.loose = loose;
    this.order = order;
    this.size = size;
    this.index = index;
    this.moved = moved;
  }

  /** Creates a view of the layers, the oldest first, with the slots 1, 2 and so on. */
  static LayerView of(List<String> names, List<ReplicaFile> files, long size, BlockIndex index) {
    return of(names, files, IntStream.rangeClosed(1, files.size()).toArray(), size, index);
  }

  /** Creates a view of the layers, the oldest first, with the slots that an existing index uses. */
  static LayerView of(
      List<String> names, List<ReplicaFile> files, int[] slots, long size, BlockIndex index) {
    int count = files.size();
    LayerView view =
        new LayerView(
            new ReplicaFile[BlockIndex.MAX_LAYER + 1],
            new String[BlockIndex.MAX_LAYER + 1],
            new boolean[BlockIndex.MAX_LAYER + 1],
            new int[count],
            size,
            index,
            Moved.NONE);
    for (int i = 0; i < count; i++) {
      view.files[slots[i]] = files.get(i);
      view.names[slots[i]] = names.get(i);
      view.order[i] = slots[i];
    }
    return view;
  }

  /** Returns the index for the next opening of the files; empty for a head alone. */
  Optional<LayerIndexCache> known() {
    if (index == null) {
      return Optional.empty();
    }
    List<Integer> slots = Arrays.stream(order).boxed().toList();
    List<String> present = slots.stream().map(slot -> names[slot]).toList();
    return Optional.of(new LayerIndexCache(present, slots, size, index.chunks()));
  }

  long size() {
    return size;
  }

  /** Returns the index of all blocks, null when the head is the only layer. */
  BlockIndex index() {
    return index;
  }

  /** Returns the slot of the layer that holds a block: a slot of this view or NOWHERE. */
  int layer(long block) {
    return layerOf(index.layer(block));
  }

  /**
   * Returns the slot of the layer that a slot of the index stands for: a slot of this view or
   * NOWHERE.
   */
  int layerOf(int slot) {
    return slot == moved.from() ? moved.to() : slot;
  }

  int headSlot() {
    return order[order.length - 1];
  }

  ReplicaFile head() {
    return files[headSlot()];
  }

  int baseSlot() {
    return order[0];
  }

  ReplicaFile file(int slot) {
    return files[slot];
  }

  /** Returns the slot of a layer, 0 when it is not in this view. */
  int slot(String name) {
    for (int slot : order) {
      if (names[slot].equals(name)) {
        return slot;
      }
    }
    return 0;
  }

  int depth() {
    return order.length;
  }

  /** Returns whether only the head uses a layer, so that trims may punch it. */
  boolean loose(int slot) {
    return loose[slot];
  }

  /**
   * Returns the first position from {@code at}, below {@code end}, at which a layer deeper than
   * {@code slot} has data; {@code end} when none has data.
   */
  long dataBelow(int slot, long at, long end) throws IOException {
    long first = end;
    for (int i = 0; order[i] != slot && first > at; i++) {
      first = Math.min(first, nextData(files[order[i]], at, first));
    }
    return first;
  }

  /** Returns the slots below a layer that only the head uses, the deepest first. */
  int[] looseBelow(int slot) {
    int above = 0;
    while (order[above] != slot) {
      above++;
    }
    return Arrays.stream(order, 0, above).filter(one -> loose[one]).toArray();
  }

  /**
   * Returns the first position from {@code at}, below {@code end}, at which a layer that not only
   * the head uses has data; {@code end} when none has data.
   */
  long keptBelow(long at, long end) throws IOException {
    long first = end;
    for (int i = 0; kept(i) && first > at; i++) {
      first = Math.min(first, nextData(files[order[i]], at, first));
    }
    return first;
  }

  /** Returns the end of the range from {@code at} in which such a layer certainly has data. */
  long keptUpTo(long at, long end) throws IOException {
    for (int i = 0; kept(i); i++) {
      if (nextData(files[order[i]], at, end) == at) {
        return nextHole(files[order[i]], at, end);
      }
    }
    return at;
  }

  // Layers that not only the head uses are the lowest ones.
  private boolean kept(int at) {
    return at < order.length - 1 && !loose[order[at]];
  }

  /**
   * Returns the end of the range from {@code at} in which a layer deeper than {@code slot}
   * certainly has data.
   */
  long coveredBelow(int slot, long at, long end) throws IOException {
    for (int i = 0; order[i] != slot; i++) {
      if (nextData(files[order[i]], at, end) == at) {
        return nextHole(files[order[i]], at, end);
      }
    }
    return at;
  }

  /**
   * Returns the slot of the layer that has a block, determined from the files instead of the index.
   */
  int holder(long block) throws IOException {
    long at = block << BlockIndex.BLOCK_SHIFT;
    for (int i = order.length - 1; i > 0; i--) {
      if (nextData(files[order[i]], at, at + BlockIndex.BLOCK_SIZE) == at) {
        return order[i];
      }
    }
    return block < LayerScan.blocks(files[order[0]].size()) ? order[0] : BlockIndex.NOWHERE;
  }

  /**
   * Returns the start of the block with the first data at or after {@code at}, at least {@code at}.
   */
  static long nextData(ReplicaFile file, long at, long end) throws IOException {
    long data = file.nextData(at);
    return data < 0 ? end : Math.max(at, Math.min(end, data & -BlockIndex.BLOCK_SIZE));
  }

  static long nextHole(ReplicaFile file, long at, long end) throws IOException {
    long hole = file.nextHole(at) + BlockIndex.BLOCK_SIZE - 1 & -BlockIndex.BLOCK_SIZE;
    return Math.min(end, Math.max(hole, at + 1));
  }

  LayerView withIndex(BlockIndex newIndex) {
    return new LayerView(files, names, loose, order, size, newIndex, moved);
  }

  /** Returns the view after a layer's content moved to another file. */
  LayerView withFile(int slot, ReplicaFile file) {
    LayerView next = new LayerView(files.clone(), names, loose, order, size, index, moved);
    next.files[slot] = file;
    return next;
  }

  LayerView withLoose(List<String> looseNames) {
    boolean[] flags = new boolean[loose.length];
    for (int slot : order) {
      flags[slot] = looseNames.contains(names[slot]);
    }
    return new LayerView(files, names, flags, order, size, index, moved);
  }

  /** Returns the view after the head became a snapshot below a new head. */
  LayerView withHead(
      String snapshot, ReplicaFile former, String name, ReplicaFile head, long newSize) {
    LayerView next =
        new LayerView(
            files.clone(),
            names.clone(),
            loose.clone(),
            Arrays.copyOf(order, order.length + 1),
            newSize,
            index,
            moved);
    next.files[headSlot()] = former;
    next.names[headSlot()] = snapshot;
    int slot = freeSlot();
    next.files[slot] = head;
    next.names[slot] = name;
    next.order[order.length] = slot;
    return next;
  }

  private int freeSlot() {
    for (int slot = 1; slot <= BlockIndex.MAX_LAYER; slot++) {
      if (files[slot] == null) {
        return slot;
      }
    }
    throw new IllegalStateException("all " + BlockIndex.MAX_LAYER + " layers are in use");
  }

  /**
   * Returns the view after the child's data was moved into the parent's file; both slots refer to
   * that file.
   */
  LayerView folded(int parent, int child, ReplicaFile file) {
    LayerView next =
        new LayerView(
            files.clone(),
            names.clone(),
            loose,
            without(parent),
            size,
            index,
            new Moved(parent, child));
    next.files[child] = file;
    next.files[parent] = file;
    return next;
  }

  /** Returns the view without a layer in the order; its slot may still be in the index. */
  LayerView unordered(int slot) {
    return new LayerView(
        files, names, loose, without(slot), size, index, new Moved(slot, BlockIndex.NOWHERE));
  }

  /** Returns the view without a slot to which no index entry refers. */
  LayerView freed(int slot) {
    LayerView next =
        new LayerView(files.clone(), names.clone(), loose.clone(), order, size, index, Moved.NONE);
    next.files[slot] = null;
    next.names[slot] = null;
    next.loose[slot] = false;
    return next;
  }

  private int[] without(int slot) {
    return Arrays.stream(order).filter(other -> other != slot).toArray();
  }

  @Override
  public void close() throws IOException {
    Layers.closeAll(Arrays.stream(files).filter(Objects::nonNull).distinct().toList());
  }
}
