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
 * The layers of a replica in one state. A layer is known by its slot, a number that stays the same
 * while layers come and go around it, and that stands in the index. Immutable but for the index.
 *
 * <p>Blocks that no layer above the oldest holds belong to the oldest in the index, whether it has
 * data there or a hole: both read right, and its holes need not be looked for.
 */
final class LayerView implements Closeable {
  private final ReplicaFile[] files;
  private final String[] names;
  private final boolean[] loose;
  private final int[] order;
  private final long size;
  private final BlockIndex index;
  private final Moved moved;

  /** A slot that left the order and stays in the index for a limited time; and what it means. */
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

  /** The layers in their order, the oldest first; the index has them as 1, 2 and so on. */
  static LayerView of(List<String> names, List<ReplicaFile> files, long size, BlockIndex index) {
    return of(names, files, IntStream.rangeClosed(1, files.size()).toArray(), size, index);
  }

  /** The layers in their order, the oldest first, by the slots that the index knows them by. */
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

  /** Returns where the data is, for the next opening of the files; empty for a head alone. */
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

  /** Returns where blocks are, null when the head is alone. */
  BlockIndex index() {
    return index;
  }

  /** Returns the slot of the layer that holds a block; it is one of these, or nowhere. */
  int layer(long block) {
    return layerOf(index.layer(block));
  }

  /**
   * Returns the slot of the layer that a slot of the index means; it is one of these, or nowhere.
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

  /** Returns the slot of a layer, 0 when it is none of these. */
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
   * {@code slot} has data; {@code end} when none has.
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
   * Returns the first position from {@code at}, below {@code end}, at which a layer has data that
   * does not belong to the head alone; {@code end} when none has.
   */
  long keptBelow(long at, long end) throws IOException {
    long first = end;
    for (int i = 0; kept(i) && first > at; i++) {
      first = Math.min(first, nextData(files[order[i]], at, first));
    }
    return first;
  }

  /** Returns up to where such a layer surely has data from {@code at} on. */
  long keptUpTo(long at, long end) throws IOException {
    for (int i = 0; kept(i); i++) {
      if (nextData(files[order[i]], at, end) == at) {
        return nextHole(files[order[i]], at, end);
      }
    }
    return at;
  }

  // Those that are kept are the lowest.
  private boolean kept(int at) {
    return at < order.length - 1 && !loose[order[at]];
  }

  /** Returns up to where a layer deeper than {@code slot} surely has data from {@code at} on. */
  long coveredBelow(int slot, long at, long end) throws IOException {
    for (int i = 0; order[i] != slot; i++) {
      if (nextData(files[order[i]], at, end) == at) {
        return nextHole(files[order[i]], at, end);
      }
    }
    return at;
  }

  /** Returns the slot of the layer that has a block, by the files themselves. */
  int holder(long block) throws IOException {
    long at = block << BlockIndex.BLOCK_SHIFT;
    for (int i = order.length - 1; i > 0; i--) {
      if (nextData(files[order[i]], at, at + BlockIndex.BLOCK_SIZE) == at) {
        return order[i];
      }
    }
    return block < LayerScan.blocks(files[order[0]].size()) ? order[0] : BlockIndex.NOWHERE;
  }

  /** Returns the block with the first data at or after {@code at}, at least {@code at}. */
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

  /** A layer's content is in another file. */
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

  /** The head is now the snapshot's file, under another head. */
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

  /** The child's data was moved into the parent's file; both slots now refer to that file. */
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

  /** A layer is gone from the order; its slot may still be in the index. */
  LayerView unordered(int slot) {
    return new LayerView(
        files, names, loose, without(slot), size, index, new Moved(slot, BlockIndex.NOWHERE));
  }

  /** No entry of the index refers to this slot. */
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
