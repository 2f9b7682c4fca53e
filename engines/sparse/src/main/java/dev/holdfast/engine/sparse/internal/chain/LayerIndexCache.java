package dev.holdfast.engine.sparse.internal.chain;

import java.util.List;

/**
 * Index of a replica's data from its previous opening, so that the next opening need not rebuild it
 * from the files. The next opening owns the index.
 */
public final class LayerIndexCache {
  private final List<String> names;
  private final List<Integer> slots;
  private final long size;
  private final byte[][] index;

  /**
   * Creates a cache from the state of an opening.
   *
   * @param names of the files, the oldest first
   * @param slots slot of each file in the index, in the same order
   * @param size of the volume in bytes
   * @param index the chunks of a {@link BlockIndex}
   */
  public LayerIndexCache(List<String> names, List<Integer> slots, long size, byte[][] index) {
    this.names = List.copyOf(names);
    this.slots = List.copyOf(slots);
    this.size = size;
    this.index = index;
  }

  public List<String> names() {
    return names;
  }

  public List<Integer> slots() {
    return slots;
  }

  public long size() {
    return size;
  }

  public byte[][] index() {
    return index;
  }

  /** Returns whether the cache describes exactly these files. */
  boolean describes(List<String> present, long presentSize) {
    return names.equals(present) && size == presentSize;
  }
}
