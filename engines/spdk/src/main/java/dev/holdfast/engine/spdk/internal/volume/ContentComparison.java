package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.spdk.internal.calls.AllocatedClusters;
import dev.holdfast.engine.spdk.internal.data.BlockingIo;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Optional;

/**
 * Comparison of two contents by their bytes, in blocks of 4096. Clusters that are known to be equal
 * are not read. For one thread.
 */
final class ContentComparison {
  private static final int BLOCK = 4_096;
  private static final int PIECE = AllocatedClusters.CLUSTER;

  private final String what;
  private final Optional<BlockDevice> older;
  private final BlockDevice newer;
  private final Optional<BitSet> clusters;
  private final ExtentVisitor visitor;
  private long offset;
  private long length;
  private ExtentKind kind = ExtentKind.HOLE;

  /**
   * Prepares a comparison.
   *
   * @param what is compared, begins messages
   * @param older empty to compare with zeroes, which also follow behind its end
   * @param clusters the only ones that may differ, empty when they are not known
   */
  ContentComparison(
      String what,
      Optional<BlockDevice> older,
      BlockDevice newer,
      Optional<BitSet> clusters,
      ExtentVisitor visitor) {
    this.clusters = clusters;
    this.what = what;
    this.older = older;
    this.newer = newer;
    this.visitor = visitor;
  }

  /** Reports the differences as data and the rest as holes, until the visitor stops it. */
  void run() throws StorageException {
    long size = newer.size();
    for (long at = 0; at < size; at += PIECE) {
      int count = (int) Math.min(PIECE, size - at);
      int cluster = (int) (at / PIECE);
      if (clusters.filter(some -> !some.get(cluster)).isPresent()) {
        if (!add(at, count, ExtentKind.HOLE)) {
          return;
        }
        continue;
      }
      ByteBuffer one = BlockingIo.read(what, newer, at, count);
      ByteBuffer other = olderAt(at, count);
      for (int from = 0; from < count; from += BLOCK) {
        boolean same = one.slice(from, BLOCK).equals(other.slice(from, BLOCK));
        if (!add(at + from, BLOCK, same ? ExtentKind.HOLE : ExtentKind.DATA)) {
          return;
        }
      }
    }
    if (length > 0) {
      boolean unused = visitor.extent(offset, length, kind);
    }
  }

  private ByteBuffer olderAt(long at, int count) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    if (older.isPresent() && at < older.get().size()) {
      int there = (int) Math.min(count, older.get().size() - at);
      bytes.put(BlockingIo.read(what, older.get(), at, there));
    }
    return bytes.clear();
  }

  /** Joins neighbouring ranges of one kind. */
  private boolean add(long at, long count, ExtentKind next) {
    if (length > 0 && next == kind) {
      length += count;
      return true;
    }
    boolean more = length == 0 || visitor.extent(offset, length, kind);
    offset = at;
    length = count;
    kind = next;
    return more;
  }
}
