package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Determines from the files which layer contains which block; scans all layers in parallel. */
final class LayerScan {
  /** Blocks with data, as pairs of first block and end (exclusive). */
  private static final class Extents {
    private long[] blocks = new long[64];
    private int length;

    void add(long first, long end) {
      if (length > 0 && blocks[length - 1] >= first) {
        blocks[length - 1] = end;
        return;
      }
      if (length == blocks.length) {
        blocks = Arrays.copyOf(blocks, 2 * length);
      }
      blocks[length++] = first;
      blocks[length++] = end;
    }

    void put(BlockIndex index, int layer) {
      for (int i = 0; i < length; i += 2) {
        index.set(blocks[i], blocks[i + 1], layer);
      }
    }
  }

  private LayerScan() {}

  /** Returns the index of the layers, the oldest first, with the slots 1, 2 and so on. */
  static BlockIndex scan(List<ReplicaFile> files, long size) throws IOException {
    BlockIndex index = new BlockIndex(blocks(size));
    index.set(0, blocks(Math.min(size, files.get(0).size())), 1);
    try {
      List<Extents> found =
          IntStream.range(1, files.size())
              .parallel()
              .mapToObj(i -> extents(files.get(i), size))
              .toList();
      for (int i = 0; i < found.size(); i++) {
        found.get(i).put(index, i + 2);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    index.compact();
    return index;
  }

  static long blocks(long bytes) {
    return (bytes + BlockIndex.BLOCK_SIZE - 1) >> BlockIndex.BLOCK_SHIFT;
  }

  private static Extents extents(ReplicaFile file, long size) {
    try {
      Extents extents = new Extents();
      long end = Math.min(file.size(), size);
      for (long data = file.nextData(0); data >= 0 && data < end; ) {
        long hole = Math.min(file.nextHole(data), end);
        extents.add(data >> BlockIndex.BLOCK_SHIFT, blocks(hole));
        data = file.nextData(hole);
      }
      return extents;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
