package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Coalesces removed layers, one at a time, while requests to the head continue. The content of
 * every kept snapshot stays the same at all times:
 *
 * <ul>
 *   <li>Into the child: the child's data is written into the removed layer's file, where it is
 *       hidden, because the child has data there. When all of it is durable, that file takes the
 *       child's name.
 *   <li>Into the head: what the head lacks is copied up, piece by piece, each alone with its range.
 *       When it is durable, the head stands on the layer below.
 * </ul>
 *
 * <p>After a crash the work is repeated; no data is lost. The method relies on a guarantee of the
 * file system (ext4 with ordered data, XFS, Btrfs): a newly allocated block becomes visible only
 * together with its content.
 */
final class Coalescer {
  private static final int SHIFT = BlockIndex.BLOCK_SHIFT;
  private static final long BREATH_NANOS = 20_000;

  private final ReplicaDirectory directory;
  private final LocalChain chain;
  private final ChainLimits limits;
  // Allocated only during work, because many open volumes never coalesce. Guarded by this.
  private ByteBuffer buffer;
  // Recorded in the directory and not yet completed; guarded by the chain.
  private CoalesceRecord unfinished;
  private volatile boolean stopped;

  Coalescer(ReplicaDirectory directory, LocalChain chain, ChainLimits limits) {
    this.directory = directory;
    this.chain = chain;
    this.limits = limits;
  }

  /**
   * Coalesces one removed layer; stops when the neighbouring layers change.
   *
   * @param locked snapshots whose layers must stay as they are
   * @return false when no layer can be coalesced
   */
  synchronized boolean next(Set<String> locked) throws IOException, StorageException {
    Set<String> images =
        locked.stream().map(LonghornLayout::imageOf).collect(Collectors.toUnmodifiableSet());
    Optional<LayerRules.Turn> found;
    synchronized (chain) {
      if (unfinished != null) {
        finishFold();
        return true;
      }
      String head = chain.state().meta().head();
      found = LayerRules.next(chain.tree(), head, images, resting());
      if (found.isEmpty()) {
        buffer = null;
        return false;
      }
      chain.state().soil();
    }
    buffer = buffer == null ? ByteBuffer.allocateDirect(limits.pieceBytes()) : buffer;
    LayerRules.Turn turn = found.get();
    chain.release(turn.image());
    switch (turn.fate()) {
      case LEAF -> removeLeaf(turn);
      case INTO_CHILD -> intoChild(turn);
      case INTO_HEAD -> intoHead(turn);
    }
    return true;
  }

  /**
   * Returns removed layers that are left as they are: a layer shared with another replica costs no
   * space.
   */
  Set<String> resting() throws IOException {
    LayerTree tree = chain.tree();
    long removed = tree.images().stream().filter(image -> tree.meta(image).removed()).count();
    return removed > limits.removed() ? Set.of() : chain.shared().among(tree.images());
  }

  /** Interrupts the running coalescing and waits until it has stopped. */
  void stop() {
    stopped = true;
    synchronized (this) {
      // The running coalescing has seen the flag and left the monitor.
    }
  }

  private boolean still(LayerRules.Turn turn) throws StorageException {
    if (stopped) {
      throw new StorageException(ErrorCode.BUSY, directory.path() + ": is being closed");
    }
    LayerTree tree = chain.tree();
    boolean head = turn.child().equals(chain.state().meta().head());
    return tree.has(turn.image())
        && tree.onlyChild(turn.image()).equals(turn.child())
        && head == (turn.fate() == LayerRules.Fate.INTO_HEAD);
  }

  private void removeLeaf(LayerRules.Turn turn) throws IOException, StorageException {
    synchronized (chain) {
      if (still(turn)) {
        if (chain.layers().view().slot(turn.image()) != 0) {
          // An earlier attempt put the layer into the head and failed before it dropped the layer.
          chain.layers().drop(turn.image());
        }
        removeFiles(turn.image());
        chain.forget(turn.image());
      }
    }
  }

  private void removeFiles(String image) throws IOException {
    directory.remove(image);
    directory.remove(LonghornLayout.metaOf(image));
    LayerChecksums.forget(directory, image);
  }

  private void intoChild(LayerRules.Turn turn) throws IOException, StorageException {
    chain.shared().own(turn.image(), bytes -> restWhile(turn, bytes));
    try (ReplicaFile child = directory.open(turn.child());
        ReplicaFile removed = directory.open(turn.image())) {
      long size = child.size();
      if (!grow(turn, removed, size)) {
        return;
      }
      for (long at = LayerView.nextData(child, 0, size); at < size; ) {
        long end = LayerView.nextHole(child, at, Math.min(size, at + limits.pieceBytes()));
        if (!copyPiece(turn, child, removed, at, end)) {
          return;
        }
        rest(end - at);
        at = LayerView.nextData(child, end, size);
      }
      removed.sync();
    }
    synchronized (chain) {
      if (still(turn)) {
        CoalesceRecord record =
            new CoalesceRecord(turn.image(), turn.child(), chain.tree().parent(turn.image()));
        StateFiles.store(directory, StateFiles.FOLD, record);
        unfinished = record;
        finishFold();
      }
    }
  }

  private boolean grow(LayerRules.Turn turn, ReplicaFile removed, long size)
      throws IOException, StorageException {
    synchronized (chain) {
      boolean mayChange = mayChange(turn);
      if (mayChange) {
        removed.grow(size);
      }
      return mayChange;
    }
  }

  // Another replica may have linked the removed layer: a shared layer must not change.
  private boolean mayChange(LayerRules.Turn turn) throws IOException, StorageException {
    return still(turn) && !directory.shared(turn.image());
  }

  private void finishFold() throws IOException, StorageException {
    chain.folded(unfinished, unfinished.finish(directory));
    unfinished = null;
  }

  // While a piece of the child is copied, a trim must not punch it, even if the child is removed
  // too.
  private boolean copyPiece(
      LayerRules.Turn turn, ReplicaFile from, ReplicaFile to, long at, long end)
      throws IOException, StorageException {
    synchronized (chain) {
      if (!mayChange(turn)) {
        return false;
      }
      chain
          .layers()
          .withRange(
              at,
              end - at,
              () -> {
                for (long data = LayerView.nextData(from, at, end); data < end; ) {
                  long hole = LayerView.nextHole(from, data, end);
                  copy(from, to, data, hole);
                  data = LayerView.nextData(from, hole, end);
                }
              });
      return true;
    }
  }

  private void restWhile(LayerRules.Turn turn, long bytes) throws StorageException {
    if (!still(turn)) {
      throw new StorageException(
          ErrorCode.BUSY, directory.path() + ": the layers changed around " + turn.image());
    }
    rest(bytes);
  }

  // Java monitors are not fair: the pause lets waiting threads take the layers.
  private void rest(long bytes) {
    limits.pace().accept(bytes);
    LockSupport.parkNanos(BREATH_NANOS);
  }

  private void copy(ReplicaFile from, ReplicaFile to, long at, long end) throws IOException {
    buffer.clear().limit((int) (end - at));
    from.read(buffer, at);
    to.write(buffer.flip(), at);
  }

  private void intoHead(LayerRules.Turn turn) throws IOException, StorageException {
    long size = chain.layers().size();
    for (long at = 0; at >= 0; ) {
      long from = at;
      synchronized (chain) {
        if (!still(turn)) {
          return;
        }
        at = copyUpNext(chain.layers().view(), turn.image(), at);
      }
      rest(at < 0 ? 0 : Math.min(size, at) - from);
    }
    chain.layers().sync();
    synchronized (chain) {
      if (still(turn)) {
        String parent = chain.tree().parent(turn.image());
        chain.store(turn.child(), chain.tree().meta(turn.child()).withParent(parent));
        VolumeMeta meta = chain.state().meta();
        chain.state().store(meta.withHead(meta.head(), parent, meta.size()));
        chain.layers().drop(turn.image());
        removeFiles(turn.image());
        chain.forget(turn.image());
      }
    }
  }

  /** Copies up the next piece. Returns its end, -1 when no piece is left. */
  private long copyUpNext(LayerView now, String image, long start) throws IOException {
    int slot = now.slot(image);
    ReplicaFile file = now.file(slot);
    BlockIndex index = now.index();
    long block = index.next(slot, start >> SHIFT);
    while (block >= 0) {
      long at = block << SHIFT;
      long pieceEnd = Math.min(index.blocks(), block + (limits.pieceBytes() >> SHIFT));
      long end = Math.min(now.size(), index.runEnd(block, pieceEnd) << SHIFT);
      // Only the oldest layer can have holes within blocks that the index assigns to it.
      long data = LayerView.nextData(file, at, now.size());
      if (data > at) {
        block = index.next(slot, (data + BlockIndex.BLOCK_SIZE - 1) >> SHIFT);
      } else {
        long hole = LayerView.nextHole(file, at, end);
        chain.layers().withRange(at, hole - at, () -> copyUp(now, slot, at, hole));
        return hole;
      }
    }
    return -1;
  }

  private void copyUp(LayerView now, int slot, long from, long to) throws IOException {
    BlockIndex index = now.index();
    for (long at = from; at < to; ) {
      long end =
          Math.min(
              to, index.runEnd(at >> SHIFT, (to + BlockIndex.BLOCK_SIZE - 1) >> SHIFT) << SHIFT);
      if (index.layer(at >> SHIFT) == slot) {
        copy(now.file(slot), now.head(), at, end);
        index.set(at >> SHIFT, LayerScan.blocks(end), now.headSlot());
      }
      at = end;
    }
  }
}
