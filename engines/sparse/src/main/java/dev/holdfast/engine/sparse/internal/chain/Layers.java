package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of one replica: a head over the snapshots below it, each a sparse file in which a hole
 * means "look further down".
 *
 * <p>A replica without snapshots, the usual case, has no index: every request passes to the head
 * unchanged. Above snapshots, overlapping requests must not run concurrently when one of them
 * writes. The head is replaced only while no request is in flight; lower layers are coalesced while
 * requests run.
 */
public final class Layers implements Closeable {
  private static final int SHIFT = BlockIndex.BLOCK_SHIFT;
  private static final long IN_BLOCK = BlockIndex.BLOCK_SIZE - 1L;

  private final LayerGuard guard = new LayerGuard();
  // Requests that write share a range; coalescing locks it exclusively.
  private final LayerRanges ranges = new LayerRanges();
  // Slots of layers below the head that trims have punched since the last sync.
  private final BitSet punched = new BitSet();
  private volatile LayerView view;
  private volatile boolean unknownBelow;
  private volatile boolean unsynced;
  private volatile Runnable whenUnsynced = () -> {};
  // Belongs to the present view; read by requests that the guard admitted.
  private LayerWriter writer;

  Layers(LayerView view) {
    use(view);
  }

  private void use(LayerView next) {
    writer = new LayerWriter(next, unknownBelow, this::punch);
    view = next;
  }

  /** Opens the named files, the oldest first, and determines where their data is. */
  static Layers open(
      LayerFiles opener, List<String> names, long size, Optional<LayerIndexCache> known)
      throws IOException {
    List<ReplicaFile> files = opener.open(names);
    Optional<LayerIndexCache> fitting = known.filter(layers -> layers.describes(names, size));
    if (fitting.isEmpty()) {
      return new Layers(view(names, files, size));
    }
    return closingUnlessDone(files, () -> new Layers(knownView(fitting.get(), files, names, size)));
  }

  /** Uses open files; the last one determines the length of the content. */
  static Layers ofTop(SnapshotReaders.OpenChain chain) throws IOException {
    List<ReplicaFile> files = chain.files();
    long size = closingUnlessDone(files, () -> files.get(files.size() - 1).size());
    return new Layers(view(chain.names(), files, size));
  }

  private static LayerView knownView(
      LayerIndexCache known, List<ReplicaFile> files, List<String> names, long size) {
    int[] slots = known.slots().stream().mapToInt(Integer::intValue).toArray();
    BlockIndex index = new BlockIndex(LayerScan.blocks(size), known.index());
    return LayerView.of(names, files, slots, size, index);
  }

  /** Creates an object over open files. */
  interface Made<T> {
    T of() throws IOException;
  }

  // In finally, to cover OutOfMemoryError too: an index is large.
  static <T> T closingUnlessDone(List<ReplicaFile> files, Made<T> made) throws IOException {
    boolean done = false;
    try {
      T result = made.of();
      done = true;
      return result;
    } finally {
      if (!done) {
        closeQuietly(files);
      }
    }
  }

  private static void closeQuietly(List<ReplicaFile> files) {
    try {
      closeAll(files);
    } catch (IOException e) {
      // The caller receives the first failure, that of the opening.
      return;
    }
  }

  /** Returns the index for the next opening of the files. Called while no request is in flight. */
  Optional<LayerIndexCache> known() {
    return view.known();
  }

  /** Determines where the data of open files is. Closes the files on failure. */
  static LayerView view(List<String> names, List<ReplicaFile> files, long size) throws IOException {
    return closingUnlessDone(
        files,
        () -> {
          BlockIndex index = files.size() == 1 ? null : LayerScan.scan(files, size);
          return LayerView.of(names, files, size, index);
        });
  }

  /** Returns the present layers. */
  LayerView view() {
    return view;
  }

  /** Returns whether there are snapshots below the head. */
  public boolean chained() {
    return view.index() != null;
  }

  long size() {
    return view.size();
  }

  public void read(long offset, ByteBuffer target) throws IOException {
    LayerView alone = view;
    if (alone.index() == null) {
      alone.head().read(target, offset);
      return;
    }
    int stripe = guard.enter();
    try {
      boolean unused = read(view, offset, target, true);
    } finally {
      guard.leave(stripe);
    }
  }

  /**
   * Reads if the data is available without waiting for a disk or another thread. Returns false when
   * it would wait or the kernel does not support this; the buffer's remaining bytes are undefined
   * then.
   */
  public boolean readNow(long offset, ByteBuffer target) throws IOException {
    LayerView alone = view;
    if (alone.index() == null) {
      return alone.head().readNow(target, offset);
    }
    int stripe = guard.tryEnter();
    if (stripe < 0) {
      return false;
    }
    try {
      return read(view, offset, target, false);
    } finally {
      guard.leave(stripe);
    }
  }

  /** Returns whether {@link #readNow} returns false only for data that is not in the page cache. */
  public boolean tellsCached() {
    return view.head().tellsCached();
  }

  private static boolean read(LayerView now, long offset, ByteBuffer target, boolean waits)
      throws IOException {
    BlockIndex index = now.index();
    if (index == null) {
      return read(now.head(), offset, target, waits);
    }
    int limit = target.limit();
    long at = offset;
    long end = offset + target.remaining();
    while (at < end) {
      // Coalescing may move blocks during the read: blocks that moved must not be read from the
      // first block's former layer.
      int slot = index.layer(at >> SHIFT);
      long run = index.runEnd(at >> SHIFT, (end + IN_BLOCK) >> SHIFT, slot) << SHIFT;
      if (run <= at) {
        continue;
      }
      int layer = now.layerOf(slot);
      long runEnd = Math.min(end, run);
      target.limit(target.position() + (int) (runEnd - at));
      if (layer == BlockIndex.NOWHERE) {
        Zeroes.fill(target);
      } else if (!read(now.file(layer), at, target, waits)) {
        return false;
      }
      target.limit(limit);
      at = runEnd;
    }
    return true;
  }

  private static boolean read(ReplicaFile file, long offset, ByteBuffer target, boolean waits)
      throws IOException {
    if (!waits) {
      return file.readNow(target, offset);
    }
    file.read(target, offset);
    return true;
  }

  public void write(long offset, ByteBuffer source) throws IOException {
    LayerView alone = view;
    if (alone.index() == null) {
      alone.head().write(source, offset);
      return;
    }
    int length = source.remaining();
    int stripe = guard.enter();
    ranges.lock(offset, length, false);
    try {
      writer.write(offset, source);
    } finally {
      ranges.unlock(offset, length, false);
      guard.leave(stripe);
    }
  }

  /** Makes exactly this range read as zeroes. */
  public void zero(long offset, long length, boolean allocated) throws IOException {
    if (length == 0) {
      return;
    }
    int stripe = guard.enter();
    ranges.lock(offset, length, false);
    try {
      writer.zero(offset, length, allocated);
    } finally {
      ranges.unlock(offset, length, false);
      guard.leave(stripe);
    }
  }

  static void zeroHead(LayerView now, long offset, long length, boolean allocated)
      throws IOException {
    if (allocated) {
      now.head().zero(offset, length);
    } else {
      now.head().punch(offset, length);
    }
  }

  private void punch(int slot) {
    synchronized (punched) {
      punched.set(slot);
    }
  }

  /** Reports how a range is stored. */
  public void extents(long offset, long length, ExtentVisitor visitor) throws IOException {
    int stripe = guard.enter();
    try {
      LayerView now = view;
      long end = offset + length;
      boolean more = true;
      for (long at = offset; more && at < end; ) {
        long next = now.index() == null ? end : runEnd(now.index(), at, end);
        int slot = now.index() == null ? now.headSlot() : now.layer(at >> SHIFT);
        boolean data = slot != BlockIndex.NOWHERE;
        // Allocated zeroes are in the head, or were in it when it became a snapshot.
        ReplicaFile reserving = slot == now.baseSlot() ? now.file(slot) : now.head();
        if (slot == now.baseSlot()) {
          long first = LayerView.nextData(now.file(slot), at, next);
          data = first == at;
          next = data ? LayerView.nextHole(now.file(slot), at, next) : first;
        }
        more =
            data
                ? visitor.extent(at, next - at, ExtentKind.DATA)
                : reserving.visitHole(at, next, visitor);
        at = next;
      }
    } finally {
      guard.leave(stripe);
    }
  }

  private static long runEnd(BlockIndex index, long at, long end) {
    return Math.min(end, index.runEnd(at >> SHIFT, (end + IN_BLOCK) >> SHIFT) << SHIFT);
  }

  /**
   * Sets the action for a failed sync. It runs before the failure is reported. Called once, before
   * the first sync.
   */
  public void whenUnsynced(Runnable action) {
    whenUnsynced = action;
  }

  /** Records that the sync of a layer failed: all later syncs fail. */
  public void unsynced() {
    unsynced = true;
    whenUnsynced.run();
  }

  /**
   * Makes completed writes, zeroes and holes durable, in the head and in each layer that trims
   * punched. After a failed sync all later syncs fail, because the kernel may have discarded data
   * that it could not write.
   */
  public void sync() throws IOException {
    if (unsynced) {
      throw new IOException("an earlier sync failed");
    }
    boolean done = false;
    try {
      syncOnce();
      done = true;
    } finally {
      if (!done) {
        unsynced();
      }
    }
  }

  private void syncOnce() throws IOException {
    int stripe = guard.enter();
    BitSet below;
    synchronized (punched) {
      below = (BitSet) punched.clone();
      punched.clear();
    }
    try {
      LayerView now = view;
      now.head().sync();
      for (int slot = below.nextSetBit(0); slot >= 0; slot = below.nextSetBit(slot + 1)) {
        if (now.file(slot) != null) {
          now.file(slot).sync();
        }
      }
    } finally {
      guard.leave(stripe);
    }
  }

  /**
   * Runs an action with a range locked exclusively: neither a writer nor coalescing works in it.
   */
  void withRange(long offset, long length, LayerGuard.Change change) throws IOException {
    ranges.lock(offset, length, true);
    try {
      change.run();
    } finally {
      ranges.unlock(offset, length, true);
    }
  }

  /** Updates the index for a range's blocks. The caller excludes other work in the range. */
  void relocate(long offset, long length) throws IOException {
    LayerView now = view;
    if (now.index() != null) {
      long end = Math.min(now.index().blocks(), (offset + length + IN_BLOCK) >> SHIFT);
      for (long block = offset >> SHIFT; block < end; block++) {
        now.index().set(block, block + 1, now.holder(block));
      }
    }
  }

  /** Makes the head a snapshot below a new head. Called while no request is in flight. */
  void push(String snapshot, ReplicaFile former, String name, ReplicaFile head, long newSize)
      throws IOException {
    ReplicaFile unused = view.head();
    guard.alone(
        () -> {
          LayerView now = view;
          BlockIndex index = now.index();
          if (index == null) {
            index = new BlockIndex(LayerScan.blocks(newSize));
            index.set(0, LayerScan.blocks(now.size()), now.baseSlot());
          } else if (newSize > now.size()) {
            index = index.grown(LayerScan.blocks(newSize));
          }
          use(now.withIndex(index).withHead(snapshot, former, name, head, newSize));
        });
    unused.close();
  }

  /** Replaces all layers. Called while no request is in flight. */
  void replace(LayerView next) throws IOException {
    LayerView former = view;
    guard.alone(() -> use(next));
    former.close();
  }

  /**
   * Sets whether the layers below the head are being replaced. During that time every zero is
   * written as data, and no block is copied up.
   */
  void setUnknownBelow(boolean value) throws IOException {
    guard.alone(
        () -> {
          unknownBelow = value;
          use(view);
        });
  }

  /**
   * Assumes that a crashed engine punched every layer that trims may punch, so that the next sync
   * includes them.
   */
  void expectPunched() {
    LayerView now = view;
    for (int slot = 1; slot <= BlockIndex.MAX_LAYER; slot++) {
      if (now.loose(slot)) {
        punch(slot);
      }
    }
  }

  /** Sets which layers only the head uses. */
  void setLoose(List<String> names) throws IOException {
    guard.alone(() -> use(view.withLoose(names)));
  }

  /** Records that the child's data was moved into the parent's file, which is now the child's. */
  void fold(String parent, String child, ReplicaFile file) throws IOException {
    int from = view.slot(parent);
    int to = view.slot(child);
    ReplicaFile formerParent = view.file(from);
    ReplicaFile formerChild = view.file(to);
    guard.alone(
        () -> {
          use(view.folded(from, to, file));
          if (punched.get(from)) {
            punched.set(to);
          }
          punched.clear(from);
        });
    view.index().replace(from, to);
    guard.alone(() -> use(view.freed(from)));
    formerParent.close();
    formerChild.close();
  }

  /**
   * Sets the file that holds a layer's content.
   *
   * @return whether the layer is one of these layers and now uses the file
   */
  boolean exchange(String name, ReplicaFile file) throws IOException {
    int slot = view.slot(name);
    if (slot == 0) {
      return false;
    }
    ReplicaFile former = view.file(slot);
    guard.alone(() -> use(view.withFile(slot, file)));
    former.close();
    return true;
  }

  /**
   * Removes the layer right below the head after all its visible blocks were copied into the head.
   */
  void drop(String name) throws IOException {
    int slot = view.slot(name);
    ReplicaFile former = view.file(slot);
    guard.alone(
        () -> {
          LayerView next = view.unordered(slot);
          use(next.depth() == 1 ? next.withIndex(null) : next);
        });
    if (view.index() != null) {
      // Blocks still assigned to this slot are allocated zeroes with no layer below.
      view.index().replace(slot, BlockIndex.NOWHERE);
    }
    guard.alone(() -> use(view.freed(slot)));
    former.close();
  }

  @Override
  public void close() throws IOException {
    guard.alone(() -> view.close());
  }

  static void closeAll(Iterable<ReplicaFile> files) throws IOException {
    IOException failure = null;
    for (ReplicaFile file : files) {
      try {
        file.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
