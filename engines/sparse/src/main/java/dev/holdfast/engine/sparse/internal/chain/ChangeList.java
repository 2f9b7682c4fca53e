package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;

/**
 * Lists the ranges in which two contents of a replica may differ: those where a layer between them
 * has data.
 */
final class ChangeList implements Closeable {
  private static final int WINDOW_BLOCKS = 1 << 18;

  private final List<ReplicaFile> files;
  private final long size;

  private ChangeList(List<ReplicaFile> files, long size) {
    this.files = files;
    this.size = size;
  }

  /**
   * Opens the layers between the two contents.
   *
   * @param chain the layers of the newer content, the oldest first
   * @param older the top layer of the older content, the base included; empty for a volume of
   *     zeroes
   * @throws StorageException INVALID when the older is not an ancestor of the newer
   */
  static ChangeList open(
      ReplicaDirectory directory, LayerFiles opener, List<String> chain, String older)
      throws IOException, StorageException {
    int first = older.isEmpty() ? 0 : chain.indexOf(older) + 1;
    if (!older.isEmpty() && first == 0) {
      throw LonghornLayout.invalid(
          directory, older + " is not an ancestor of " + chain.get(chain.size() - 1));
    }
    long size;
    try (ReplicaFile top = directory.open(chain.get(chain.size() - 1))) {
      size = top.size();
    }
    return new ChangeList(opener.open(chain.subList(first, chain.size())), size);
  }

  void visit(ExtentVisitor visitor) throws IOException {
    BitSet window = new BitSet(WINDOW_BLOCKS);
    boolean more = true;
    long step = (long) WINDOW_BLOCKS << BlockIndex.BLOCK_SHIFT;
    for (long start = 0; more && start < size; start += step) {
      window.clear();
      long end = Math.min(size, start + step);
      for (ReplicaFile file : files) {
        mark(window, file, start, end);
      }
      more = report(window, start, end, visitor);
    }
  }

  private static void mark(BitSet window, ReplicaFile file, long start, long end)
      throws IOException {
    for (long data = LayerView.nextData(file, start, end); data < end; ) {
      long hole = LayerView.nextHole(file, data, end);
      window.set(block(data - start), block(hole - start + BlockIndex.BLOCK_SIZE - 1));
      data = LayerView.nextData(file, hole, end);
    }
  }

  private static int block(long offset) {
    return (int) (offset >> BlockIndex.BLOCK_SHIFT);
  }

  private static boolean report(BitSet window, long start, long end, ExtentVisitor visitor) {
    boolean more = true;
    int blocks = block(end - start + BlockIndex.BLOCK_SIZE - 1);
    for (int at = 0; more && at < blocks; ) {
      boolean data = window.get(at);
      int next = data ? window.nextClearBit(at) : window.nextSetBit(at);
      next = next < 0 ? blocks : Math.min(next, blocks);
      long offset = start + ((long) at << BlockIndex.BLOCK_SHIFT);
      long limit = Math.min(end, start + ((long) next << BlockIndex.BLOCK_SHIFT));
      more = visitor.extent(offset, limit - offset, data ? ExtentKind.DATA : ExtentKind.HOLE);
      at = next;
    }
    return more;
  }

  @Override
  public void close() throws IOException {
    Layers.closeAll(files);
  }
}
