package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.replica.SimulatedBase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The image below all replicas of some volumes, kept on each node. It has data in every other
 * checked block, and ends before the last of them.
 */
final class SimulatedImage {
  private static final int ONE_OF = 6;
  private static final long FIRST = 1L << 50;
  private static final int LAST = SimulatedClients.BLOCKS - 1;
  private static final long SIZE = SimulatedClients.position(LAST);

  private SimulatedImage() {}

  /**
   * Returns whether the volume of a history has an image. Does not use the random numbers of the
   * history.
   */
  static boolean below(long seed) {
    return seed % ONE_OF == 0;
  }

  /** Returns the first value of a block of a volume on the image. */
  static long first(int block) {
    return block % 2 == 0 && block < LAST ? FIRST + block : 0;
  }

  /** Puts the image on a node, below the node's replica. */
  static void put(SimulatedDisk disk, CrashPoint life) throws IOException {
    Map<Long, byte[]> pieces = new TreeMap<>();
    for (int block = 0; block < LAST; block++) {
      if (first(block) != 0) {
        ByteBuffer content = ByteBuffer.allocate(SimulatedClients.BLOCK);
        while (content.hasRemaining()) {
          content.putLong(first(block));
        }
        pieces.put(SimulatedClients.position(block), content.array());
      }
    }
    SimulatedBase.below(disk, SimulatedBase.sealed(life, Mutant.NONE, SIZE, pieces), SIZE);
  }

  /**
   * Returns the bytes that a replica on this image reads in unwritten ranges, zeroes without an
   * image.
   */
  static byte[] read(SimulatedDisk disk, long position) {
    Optional<SimulatedDisk> image = disk.base().filter(any -> position < SIZE);
    return image
        .map(folder -> SimulatedBase.content(folder, position, SimulatedClients.BLOCK))
        .orElseGet(() -> new byte[SimulatedClients.BLOCK]);
  }
}
