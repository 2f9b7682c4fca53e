package dev.holdfast.engine.sparse.internal.disk;

import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A sparse file: its content on the disk, and its content in the page cache. At a loss of power
 * each unsynced sector survives at random. But a block of 4 KiB that was or becomes a hole changes
 * as a whole, as in real file systems.
 */
public final class SimulatedFile {
  public static final int SECTOR = 512;
  private static final int SECTORS = 8;
  private static final int BLOCK = SECTOR * SECTORS;
  private static final byte[] HOLE = new byte[0];

  private final Map<Integer, byte[]> stable = new TreeMap<>();
  private final TreeMap<Integer, byte[]> cached = new TreeMap<>();
  // Data that a failed sync did not write: it is still in the page cache, where it counts as
  // written.
  private final Map<Integer, byte[]> forgotten = new TreeMap<>();
  private final TreeSet<Integer> allocated = new TreeSet<>();
  // Sectors that the disk cannot read. A write replaces a sector by a readable one.
  private final TreeSet<Integer> unreadable = new TreeSet<>();
  private long stableLength;
  private long length;
  private boolean shared;

  SimulatedFile(byte[] content) {
    write(0, content);
    sync();
  }

  SimulatedFile(long length) {
    this.length = length;
    this.stableLength = length;
  }

  /** Returns a file with holes between its pieces, all of it durable. */
  static SimulatedFile of(long length, Map<Long, byte[]> pieces) {
    SimulatedFile file = new SimulatedFile(length);
    pieces.forEach(file::write);
    file.sync();
    return file;
  }

  /** Sets whether another replica shares the file. */
  void setShared(boolean value) {
    shared = value;
  }

  boolean shared() {
    return shared;
  }

  long length() {
    return length;
  }

  byte[] all() {
    return read(0, Math.toIntExact(length));
  }

  byte[] read(long position, int count) {
    byte[] content = new byte[count];
    for (int at = 0; at < count; ) {
      int sector = (int) ((position + at) / SECTOR);
      int from = (int) ((position + at) % SECTOR);
      int piece = Math.min(SECTOR - from, count - at);
      byte[] bytes =
          cached.getOrDefault(sector, forgotten.getOrDefault(sector, stable.get(sector)));
      if (bytes != null && bytes != HOLE) {
        System.arraycopy(bytes, from, content, at, piece);
      }
      at += piece;
    }
    return content;
  }

  /**
   * Lets the disk fail to read a sector.
   *
   * @return false if the sector is not read from the disk, or the disk has no data there
   */
  boolean spoil(long position) {
    int sector = (int) (position / SECTOR);
    boolean asked =
        stable.containsKey(sector) && !cached.containsKey(sector) && !forgotten.containsKey(sector);
    return asked && unreadable.add(sector);
  }

  /** Lets the disk read all sectors again. */
  void mend() {
    unreadable.clear();
  }

  /** Returns whether the disk can read the uncached part of a range. */
  boolean readable(long position, int count) {
    int end = (int) ((position + count + SECTOR - 1) / SECTOR);
    return unreadable.subSet((int) (position / SECTOR), end).stream()
        .allMatch(sector -> cached.containsKey(sector) || forgotten.containsKey(sector));
  }

  void write(long position, byte[] content) {
    for (int at = 0; at < content.length; ) {
      int sector = (int) ((position + at) / SECTOR);
      int from = (int) ((position + at) % SECTOR);
      int piece = Math.min(SECTOR - from, content.length - at);
      byte[] bytes = read((long) sector * SECTOR, SECTOR);
      System.arraycopy(content, at, bytes, from, piece);
      cached.put(sector, bytes);
      allocated.add(sector / SECTORS);
      at += piece;
    }
    length = Math.max(length, position + content.length);
  }

  /**
   * Returns how much of an interrupted write is executed: a block that was a hole is written as a
   * whole.
   */
  int wholeBlocks(long position, int count) {
    long end = (position + count) / SECTOR * SECTOR;
    long block = end / BLOCK;
    long done = allocated.contains((int) block) ? end : block * BLOCK;
    return (int) Math.max(0, done - position);
  }

  /** Makes whole blocks holes, and zeroes the partial blocks at the edges. */
  void punch(long position, long count) {
    long end = Math.min(position + count, length);
    for (long at = position; at < end; ) {
      long blockEnd = Math.min(end, (at / BLOCK + 1) * BLOCK);
      if (blockEnd - at == BLOCK) {
        for (int sector = 0; sector < SECTORS; sector++) {
          cached.put((int) (at / SECTOR) + sector, HOLE);
          forgotten.remove((int) (at / SECTOR) + sector);
        }
        allocated.remove((int) (at / BLOCK));
      } else if (allocated.contains((int) (at / BLOCK))) {
        write(at, new byte[(int) (blockEnd - at)]);
      }
      at = blockEnd;
    }
  }

  long nextData(long position) {
    Integer block = allocated.ceiling((int) (position / BLOCK));
    long at = block == null ? length : Math.max(position, (long) block * BLOCK);
    return at < length ? at : -1;
  }

  long nextHole(long position) {
    long block = position / BLOCK;
    while (allocated.contains((int) block)) {
      block++;
    }
    return Math.min(length, Math.max(position, block * BLOCK));
  }

  void grow(long size) {
    length = Math.max(length, size);
  }

  void sync() {
    cached.forEach(this::keep);
    cached.clear();
    stableLength = length;
  }

  /**
   * Fails a sync, after which the kernel treats the unwritten data as written. Holes survive,
   * because they are in the journal, and a file system that cannot write its journal stops.
   */
  void failSync() {
    forgotten.putAll(cached);
    forgotten.values().removeIf(bytes -> bytes == HOLE);
    cached.keySet().removeAll(forgotten.keySet());
  }

  /** Writes the content that a failed sync did not write. */
  void remember() {
    forgotten.forEach(cached::putIfAbsent);
    forgotten.clear();
  }

  /** Returns how much of a write can be executed with the given number of new blocks. */
  int fits(long position, int count, int room) {
    int left = room;
    for (long block = position / BLOCK; block * BLOCK < position + count; block++) {
      if (!allocated.contains((int) block) && left-- == 0) {
        return (int) Math.max(0, block * BLOCK - position);
      }
    }
    return count;
  }

  /** Returns the number of new blocks that a write needs. */
  int blocksNeeded(long position, int count) {
    int needed = 0;
    for (long block = position / BLOCK; block * BLOCK < position + count; block++) {
      needed += allocated.contains((int) block) ? 0 : 1;
    }
    return needed;
  }

  /**
   * Flips a bit of the content on the disk.
   *
   * @return false if the disk has no data there, or data that will be overwritten
   */
  boolean rot(long position, int bit) {
    int sector = (int) (position / SECTOR);
    byte[] there = stable.get(sector);
    if (there == null || cached.containsKey(sector) || forgotten.containsKey(sector)) {
      return false;
    }
    byte[] rotten = there.clone();
    rotten[(int) (position % SECTOR)] ^= (byte) (1 << bit);
    stable.put(sector, rotten);
    return true;
  }

  private void keep(int sector, byte[] bytes) {
    forgotten.remove(sector);
    unreadable.remove(sector);
    if (bytes == HOLE) {
      stable.remove(sector);
    } else {
      stable.put(sector, bytes);
    }
  }

  void losePower(Random random) {
    while (!cached.isEmpty()) {
      int block = cached.firstKey() / SECTORS;
      SortedSet<Integer> sectors =
          new TreeSet<>(cached.subMap(block * SECTORS, (block + 1) * SECTORS).keySet());
      boolean whole = sectors.stream().anyMatch(sector -> cached.get(sector) == HOLE);
      boolean wasHole = true;
      for (int sector = block * SECTORS; sector < (block + 1) * SECTORS; sector++) {
        wasHole &= !stable.containsKey(sector);
      }
      boolean kept = random.nextBoolean();
      for (int sector : sectors) {
        kept = (whole || wasHole) ? kept : random.nextBoolean();
        byte[] bytes = cached.remove(sector);
        if (kept) {
          keep(sector, bytes);
          stableLength = Math.max(stableLength, Math.min(length, (sector + 1L) * SECTOR));
        }
      }
    }
    forgotten.clear();
    length = stableLength;
    allocated.clear();
    stable.keySet().forEach(sector -> allocated.add(sector / SECTORS));
  }
}
