package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.internal.BlockList;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Chunks of a volume with their places, ascending by their numbers: 48 bytes of memory for each. In
 * a list of changes, a chunk without a place became zeroes. Immutable.
 */
final class ChunkList {
  static final int HASH = 32;
  static final ChunkList EMPTY = new Builder().build();
  private static final int NOWHERE = -1;

  private final int[] numbers;
  private final byte[] hashes;
  private final int[] places;
  private final List<String> packs;

  /** Place of the stored form of a chunk. */
  record Place(String pack, int offset, int length) {}

  private ChunkList(int[] numbers, byte[] hashes, int[] places, List<String> packs) {
    this.numbers = numbers;
    this.hashes = hashes;
    this.places = places;
    this.packs = List.copyOf(packs);
  }

  int size() {
    return numbers.length;
  }

  int number(int index) {
    return numbers[index];
  }

  /** Returns the index of a chunk, negative if it is absent. */
  int find(int number) {
    return Arrays.binarySearch(numbers, number);
  }

  BlockList.Hash hash(int index) {
    ByteBuffer bytes = ByteBuffer.wrap(hashes, index * HASH, HASH);
    return new BlockList.Hash(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  boolean isPlaced(int index) {
    return places[3 * index] != NOWHERE;
  }

  /** Returns the place of a chunk that has one. */
  Place place(int index) {
    return new Place(pack(index), offset(index), length(index));
  }

  String pack(int index) {
    return packs.get(places[3 * index]);
  }

  /** Returns the number of a pack among {@link #packs}, negative for a chunk without a place. */
  int packNumber(int index) {
    return places[3 * index];
  }

  int offset(int index) {
    return places[3 * index + 1];
  }

  int length(int index) {
    return places[3 * index + 2];
  }

  /** Returns the ids of the packs that the chunks are in. */
  List<String> packs() {
    return packs;
  }

  byte[] hashes() {
    return hashes.clone();
  }

  /** Returns the chunks after changes, up to a number. */
  ChunkList with(ChunkList changes, int limit) {
    Builder merged = new Builder();
    int mine = 0;
    int theirs = 0;
    while (mine < size() || theirs < changes.size()) {
      boolean changed =
          mine == size() || (theirs < changes.size() && changes.numbers[theirs] <= numbers[mine]);
      if (!changed) {
        merged.addWithin(limit, this, mine++);
        continue;
      }
      if (mine < size() && changes.numbers[theirs] == numbers[mine]) {
        mine++;
      }
      if (changes.isPlaced(theirs)) {
        merged.addWithin(limit, changes, theirs);
      }
      theirs++;
    }
    return merged.build();
  }

  /** Returns the SHA-256 of all numbers and hashes. */
  String root() {
    var digest = SealedText.sha256();
    ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
    for (int i = 0; i < size(); i++) {
      digest.update(number.clear().putInt(numbers[i]).flip());
      digest.update(hashes, i * HASH, HASH);
    }
    return SealedText.hex(digest.digest());
  }

  /** Collects chunks in the order of their numbers. Not thread-safe. */
  static final class Builder {
    private int[] numbers = new int[16];
    private byte[] hashes = new byte[16 * HASH];
    private int[] places = new int[16 * 3];
    private final Map<String, Integer> packs = new LinkedHashMap<>();
    private int count;

    private void addWithin(int limit, ChunkList from, int index) {
      if (from.numbers[index] < limit) {
        next(from.numbers[index]);
        System.arraycopy(from.hashes, index * HASH, hashes, count * HASH, HASH);
        place(from.pack(index), from.offset(index), from.length(index));
      }
    }

    void add(int number, BlockList.Hash hash, Place place) {
      next(number);
      ByteBuffer.wrap(hashes, count * HASH, HASH)
          .putLong(hash.first())
          .putLong(hash.second())
          .putLong(hash.third())
          .putLong(hash.fourth());
      place(place.pack(), place.offset(), place.length());
    }

    /** Adds a chunk that became zeroes. */
    void addZeroes(int number) {
      next(number);
      places[3 * count++] = NOWHERE;
    }

    private void next(int number) {
      if (count > 0 && number <= numbers[count - 1]) {
        throw new IllegalArgumentException("chunk " + number + " is out of order");
      }
      if (count == numbers.length) {
        int larger = 2 * count;
        numbers = Arrays.copyOf(numbers, larger);
        hashes = Arrays.copyOf(hashes, larger * HASH);
        places = Arrays.copyOf(places, larger * 3);
      }
      numbers[count] = number;
    }

    private void place(String pack, int offset, int length) {
      Integer known = packs.get(pack);
      if (known == null) {
        known = packs.size();
        packs.put(pack, known);
      }
      places[3 * count] = known;
      places[3 * count + 1] = offset;
      places[3 * count + 2] = length;
      count++;
    }

    ChunkList build() {
      return new ChunkList(
          Arrays.copyOf(numbers, count),
          Arrays.copyOf(hashes, count * HASH),
          Arrays.copyOf(places, 3 * count),
          new ArrayList<>(packs.keySet()));
    }
  }
}
