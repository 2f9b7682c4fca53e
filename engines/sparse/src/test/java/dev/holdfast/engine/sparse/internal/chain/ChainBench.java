package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Measures the cost of snapshots: CPU time of a random read of 4 KiB at several depths of a chain,
 * and the time to open a large chain. Arguments: a folder on a disk with 6 GB of free space, then
 * optionally the number of extents of the large chain.
 */
public final class ChainBench {
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;
  private static final int BLOCKS = 64 << 10;
  private static final int READS = 300_000;
  private static final int ROUNDS = 5;
  private static final long TIB = 1L << 40;

  private ChainBench() {}

  /** Runs the measurements and prints one line for each. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory(Path.of(arguments[0]), "chain-bench");
    int extents = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    try {
      double first = 0;
      for (int depth : new int[] {1, 10, 50, 100, 250}) {
        double nanos = readCost(folder.resolve("depth-" + depth), depth);
        first = depth == 1 ? nanos : first;
        System.out.printf(
            "depth %3d: %.0f ns of CPU per 4k read, %.2f of depth 1%n",
            depth, nanos, nanos / first);
      }
      indexMemory();
      openLarge(folder.resolve("large"), extents);
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static LocalChain chain(Path disk, long size) throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "r", "n", disk, "r");
    Files.createDirectories(disk);
    new ReplicaStorage().provision(location, size);
    return open(disk);
  }

  private static LocalChain open(Path disk) throws Exception {
    ReplicaDirectory directory = new LocalReplicaDirectory(disk.resolve("replicas/r"));
    VolumeMeta meta = LonghornLayout.volumeMeta(directory).orElseThrow();
    return LocalChain.open(directory, meta, false);
  }

  private static void snapshot(LocalChain chain, int number) throws Exception {
    chain.perform(
        new ChainOperation(
            "o" + number, ChainOperation.Kind.SNAPSHOT, "s" + number, true, "", Map.of(), 0));
  }

  /** Measures a completely written volume of 256 MiB, whose blocks are spread over the layers. */
  private static double readCost(Path disk, int depth) throws Exception {
    Random random = new Random(depth);
    try (LocalChain chain = chain(disk, (long) BLOCKS * BLOCK)) {
      ByteBuffer content = ByteBuffer.allocateDirect(1 << 20);
      for (int at = 0; at < BLOCKS / 256; at++) {
        chain.layers().write((long) at << 20, content.clear());
      }
      for (int layer = 1; layer <= depth; layer++) {
        snapshot(chain, layer);
        for (int i = 0; i < BLOCKS / 2 / depth; i++) {
          long offset = (long) random.nextInt(BLOCKS) * BLOCK;
          chain.layers().write(offset, content.clear().limit(BLOCK));
        }
      }
      double best = Double.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        best = Math.min(best, reads(chain, random, content));
      }
      return best;
    }
  }

  private static double reads(LocalChain chain, Random random, ByteBuffer target) throws Exception {
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int i = 0; i < READS; i++) {
      chain.layers().read((long) random.nextInt(BLOCKS) * BLOCK, target.clear().limit(BLOCK));
    }
    long after = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    return (double) (after - before) / READS;
  }

  private static void indexMemory() {
    for (double mixed : new double[] {0, 0.05, 0.2, 0.5, 1}) {
      long before = used();
      BlockIndex index = new BlockIndex(TIB / BLOCK);
      long chunks = TIB >> 22;
      for (long chunk = 0; chunk < (long) (chunks * mixed); chunk++) {
        index.set(chunk << 10, (chunk << 10) + 1, 1);
      }
      System.out.printf(
          "index of 1 TiB, %3.0f %% of 4 MiB chunks mixed: %d MiB%n",
          100 * mixed, (used() - before) >> 20);
      if (index.layer(0) < 0) {
        throw new IllegalStateException("kept alive");
      }
    }
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /**
   * Opens a chain of 1 TiB in eleven layers, with extents of 4 KiB evenly spread over volume and
   * layers.
   */
  private static void openLarge(Path disk, int extents) throws Exception {
    int layers = 10;
    long step = TIB / (extents / layers) / BLOCK * BLOCK;
    try (LocalChain chain = chain(disk, TIB)) {
      ByteBuffer content = ByteBuffer.allocateDirect(BLOCK);
      for (int layer = 0; layer < layers; layer++) {
        snapshot(chain, layer);
        for (long at = layer * step / layers / BLOCK * BLOCK; at < TIB; at += step) {
          chain.layers().write(at, content.clear());
        }
      }
      chain.layers().sync();
    }
    for (int round = 0; round < 2; round++) {
      long start = System.nanoTime();
      open(disk).close();
      System.out.printf(
          "opening 1 TiB with %d extents in %d layers: %d ms%n",
          extents, layers + 1, (System.nanoTime() - start) / 1_000_000);
    }
  }
}
