package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Regions;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The open volume's view of the durable marks: which regions every member has marked. A write calls
 * {@link #covers} first, which reads one bit of a bitmap; only the first write into a region makes
 * the members append to their logs.
 */
public final class WriteIntents {
  private volatile AtomicLongArray marked;
  // Regions written since the last sweep. Plain bytes, because the sweep reads them while the gate
  // is drained.
  private volatile byte[] written;

  public WriteIntents(long volumeSize) {
    int regions = Regions.count(volumeSize);
    this.marked = new AtomicLongArray((regions + Long.SIZE - 1) / Long.SIZE);
    this.written = new byte[regions];
  }

  /** Makes room for a volume that has grown. Called while the gate is drained. */
  public void grow(long volumeSize) {
    int regions = Regions.count(volumeSize);
    AtomicLongArray more = new AtomicLongArray((regions + Long.SIZE - 1) / Long.SIZE);
    for (int i = 0; i < marked.length(); i++) {
      more.set(i, marked.get(i));
    }
    marked = more;
    written = Arrays.copyOf(written, regions);
  }

  /** Returns whether the range, which is not empty, is marked; records it as written. */
  boolean covers(long offset, long length) {
    int last = Regions.of(offset + length - 1);
    AtomicLongArray marks = marked;
    byte[] touched = written;
    boolean covered = true;
    for (int region = Regions.of(offset); region <= last; region++) {
      touched[region] = 1;
      covered &= (marks.getAcquire(region / Long.SIZE) & (1L << region)) != 0;
    }
    return covered;
  }

  /** Records that every member has marked these regions. */
  public void marked(BitSet regions) {
    regions.stream()
        .forEach(
            region ->
                marked.getAndAccumulate(
                    region / Long.SIZE, 1L << region, (word, bit) -> word | bit));
  }

  /** Returns all marked regions. */
  public BitSet all() {
    long[] words = new long[marked.length()];
    for (int i = 0; i < words.length; i++) {
      words[i] = marked.get(i);
    }
    return BitSet.valueOf(words);
  }

  /**
   * Returns the marked regions that were not written since the last sweep, and starts a new period.
   * Called while the gate is drained.
   */
  BitSet sweep() {
    BitSet idle = all();
    for (int region = 0; region < written.length; region++) {
      if (written[region] != 0) {
        idle.clear(region);
        written[region] = 0;
      }
    }
    return idle;
  }

  /** Returns the regions written since the last sweep. Called while the gate is drained. */
  BitSet written() {
    BitSet regions = new BitSet();
    for (int region = 0; region < written.length; region++) {
      regions.set(region, written[region] != 0);
    }
    return regions;
  }

  /** Removes marks. Called while the gate is drained. */
  void clear(BitSet regions) {
    regions.stream()
        .forEach(
            region ->
                marked.getAndAccumulate(
                    region / Long.SIZE, 1L << region, (word, bit) -> word & ~bit));
  }
}
