package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.base.BaseLayer;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.disk.SimulatedFile;
import dev.holdfast.engine.sparse.internal.replica.SimulatedBase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The base of a history: blocks of data and holes in turn. It is shorter than the volume. One
 * history of four has a base.
 */
final class HistoryBase {
  private static final int SECTOR = SimulatedFile.SECTOR;
  private static final int IN_BLOCK = BlockIndex.BLOCK_SIZE / SECTOR;
  private static final int BLOCKS = 9;
  private static final long SIZE = (long) BLOCKS * BlockIndex.BLOCK_SIZE;
  private static final int BASED = 4;
  private static final long FIRST = 1L << 40;
  private static final Set<Mutant> ON_A_BASE =
      EnumSet.of(Mutant.BASE_NOT_HIDDEN, Mutant.BASE_HOLES_NOT_ZERO, Mutant.BASE_FORGOTTEN);

  private final Mutant mutant;
  private final long[] content = new long[BLOCKS * IN_BLOCK];
  private final SimulatedDisk folder;
  private int openings;

  private HistoryBase(Mutant mutant, CrashPoint crash) throws IOException {
    this.mutant = mutant;
    Map<Long, byte[]> pieces = new TreeMap<>();
    for (int block = 0; block < BLOCKS; block += 2) {
      pieces.put((long) block * BlockIndex.BLOCK_SIZE, block(block));
    }
    this.folder = SimulatedBase.sealed(crash, mutant, SIZE, pieces);
  }

  /**
   * Returns the base of a history, empty for most. Does not use the random numbers of the history.
   */
  static Optional<HistoryBase> of(long seed, Mutant mutant, CrashPoint crash) throws IOException {
    return ON_A_BASE.contains(mutant) || seed % BASED == 0
        ? Optional.of(new HistoryBase(mutant, crash))
        : Optional.empty();
  }

  private byte[] block(int number) {
    ByteBuffer bytes = ByteBuffer.allocate(BlockIndex.BLOCK_SIZE);
    for (int sector = number * IN_BLOCK; bytes.hasRemaining(); sector++) {
      content[sector] = FIRST + sector;
      for (int word = 0; word < SECTOR / Long.BYTES; word++) {
        bytes.putLong(content[sector]);
      }
    }
    return bytes.array();
  }

  /** Returns the number in each sector. */
  long[] content() {
    return content.clone();
  }

  void below(SimulatedDisk disk) throws IOException {
    SimulatedBase.below(disk, folder, SIZE);
  }

  /** Returns the base layer that an opening finds. */
  Optional<BaseLayer> layer() {
    openings++;
    return mutant == Mutant.BASE_FORGOTTEN && openings > 1
        ? Optional.empty()
        : Optional.of(new BaseLayer(SimulatedBase.identity(SIZE), folder.directory()));
  }
}
