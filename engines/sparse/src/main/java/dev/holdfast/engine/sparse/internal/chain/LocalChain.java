package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.OperationRecord;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.layout.VolumeState;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layers of a replica on this node. Its directory always holds a chain that the next opening
 * can use, whatever moment the power goes at; see {@link HeadChange} and {@link Coalescer}.
 */
public final class LocalChain implements ReplicaChain, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalChain.class);

  private final ReplicaDirectory directory;
  private final VolumeState state;
  private final Layers layers;
  private final SnapshotReaders readers;
  private final Coalescer coalescer;
  private final ChainLimits limits;
  private final LayerTransfer transfer;
  private LayerTree tree;
  private LayerGuard.Change beforeRevert = () -> {};

  private boolean closed;

  private LocalChain(
      ReplicaDirectory directory,
      VolumeState state,
      LayerTree tree,
      Layers layers,
      ChainLimits limits) {
    this.directory = directory;
    this.state = state;
    this.tree = tree;
    this.layers = layers;
    this.limits = limits;
    this.readers = new SnapshotReaders();
    this.transfer = new LayerTransfer(directory, this);
    this.coalescer = new Coalescer(directory, this, limits);
  }

  /**
   * Opens the layers of a replica that is locked, and first finishes or undoes what a crash
   * interrupted.
   *
   * @param meta what volume.meta says, or must have said
   * @param clean whether the replica was closed in order
   * @throws StorageException INVALID when the layers do not fit together, UNSUPPORTED when there
   *     are too many
   */
  public static LocalChain open(ReplicaDirectory directory, VolumeMeta meta, boolean clean)
      throws IOException, StorageException {
    return open(directory, meta, clean, ChainLimits.DEFAULT);
  }

  static LocalChain open(
      ReplicaDirectory directory, VolumeMeta meta, boolean clean, ChainLimits limits)
      throws IOException, StorageException {
    return open(directory, meta, clean, limits, Optional.empty());
  }

  /** Opens them as above, without looking for their data if it is known where that is. */
  public static LocalChain open(
      ReplicaDirectory directory, VolumeMeta meta, boolean clean, Optional<KnownLayers> known)
      throws IOException, StorageException {
    return open(directory, meta, clean, ChainLimits.DEFAULT, known);
  }

  private static LocalChain open(
      ReplicaDirectory directory,
      VolumeMeta meta,
      boolean clean,
      ChainLimits limits,
      Optional<KnownLayers> known)
      throws IOException, StorageException {
    VolumeState state = new VolumeState(directory, meta, clean);
    boolean folding = directory.load(StateFiles.FOLD).isPresent();
    ChainRepair.run(directory, state);
    LayerTree tree = LayerTree.read(directory);
    List<String> chain = chain(directory, tree, state.meta().head());
    if (chain.size() > BlockIndex.MAX_LAYER) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          directory.path() + " has " + chain.size() + " layers, more than this engine opens");
    }
    boolean asKnown = !folding && !state.meta().rebuilding();
    Layers layers =
        Layers.open(directory, chain, state.meta().size(), known.filter(any -> asKnown));
    LocalChain opened = new LocalChain(directory, state, tree, layers, limits);
    opened.refreshLoose();
    layers.setUnknownBelow(state.meta().rebuilding());
    if (!clean) {
      layers.expectPunched();
    }
    return opened;
  }

  private static List<String> chain(ReplicaDirectory directory, LayerTree tree, String head)
      throws StorageException {
    try {
      return tree.chain(head);
    } catch (IllegalStateException e) {
      throw LonghornLayout.invalid(directory, e.getMessage());
    }
  }

  public Layers layers() {
    return layers;
  }

  /** Returns what copies layers from and to other replicas. */
  public LayerTransfer transfer() {
    return transfer;
  }

  /**
   * Says durably whether the layers below the head are being replaced by those of another replica.
   * No request is at work. At the end the layers are looked at anew.
   */
  public synchronized void setRebuilding(boolean value) throws StorageException {
    try {
      state.soil();
      if (value) {
        state.store(state.meta().withRebuilding(true));
        layers.setUnknownBelow(true);
      } else {
        LayerTree found = LayerTree.read(directory);
        List<String> names = chain(directory, found, state.meta().head());
        layers.replace(Layers.view(names, Layers.openFiles(directory, names), state.meta().size()));
        tree = found;
        layers.setUnknownBelow(false);
        refreshLoose();
        state.store(state.meta().withRebuilding(false));
      }
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": rebuilding", e);
    }
  }

  /** Tells what to do before the head is thrown away; once, before the first operation. */
  public synchronized void beforeRevert(LayerGuard.Change action) {
    beforeRevert = action;
  }

  /**
   * The replica is about to get the layers of another one: its head becomes the first of these
   * snapshots, the empty head above it the next, and so on. No request is at work.
   *
   * @param names of snapshots that are not there
   * @param size of the last head
   */
  public synchronized void join(List<String> names, long size) throws StorageException {
    setRebuilding(true);
    try {
      HeadChange.recover(directory, state);
      for (String name : names) {
        boolean last = name.equals(names.get(names.size() - 1));
        if (!tree.has(LonghornLayout.imageOf(name))) {
          ChainOperation operation =
              new ChainOperation(
                  UUID.randomUUID().toString(),
                  ChainOperation.Kind.SNAPSHOT,
                  name,
                  false,
                  "",
                  Map.of(),
                  0);
          snapshot(operation, name, last ? size : state.meta().size());
        }
      }
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": joining", e);
    }
  }

  public VolumeState state() {
    return state;
  }

  public synchronized LayerTree tree() {
    return tree;
  }

  @Override
  public synchronized void perform(ChainOperation operation) throws StorageException {
    if (closed) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, directory.path() + ": was closed, perhaps for another engine");
    }
    try {
      HeadChange.recover(directory, state);
      if (OperationRecord.load(directory)
          .filter(last -> last.done() && last.id().equals(operation.id()))
          .isPresent()) {
        return;
      }
      switch (operation.kind()) {
        case SNAPSHOT -> snapshot(operation);
        case REVERT -> revert(operation);
        case REMOVE -> remove(operation);
        case EXPAND -> expand(operation);
        case SHRINK -> shrink(operation);
      }
    } catch (IOException e) {
      throw StorageException.io(
          directory.path() + ": " + operation.kind() + " " + operation.snapshot(), e);
    }
  }

  private void snapshot(ChainOperation operation) throws IOException, StorageException {
    if (tree.has(LonghornLayout.imageOf(operation.snapshot()))) {
      remember(operation.id());
    } else {
      snapshot(operation, operation.snapshot(), state.meta().size());
    }
  }

  private void snapshot(ChainOperation operation, String name, long size)
      throws IOException, StorageException {
    checkCount();
    String image = LonghornLayout.imageOf(name);
    Map<String, String> labels = operation.labels().isEmpty() ? null : operation.labels();
    String created = time(operation.created());
    String former = state.meta().head();
    LayerMeta meta =
        new LayerMeta(former, tree.parent(former), false, operation.userCreated(), created, labels);
    LayerMeta head = new LayerMeta("", image, false, false, created, null);
    state.soil();
    // From now on only the new head is synced.
    layers.sync();
    HeadChange change =
        HeadChange.prepare(directory, state, operation.id(), image, meta, head, size);
    ReplicaFile snapshotFile = null;
    ReplicaFile headFile = null;
    boolean committed = false;
    try {
      snapshotFile = directory.open(image);
      headFile = directory.open(change.newHead());
      change.commit(image, size);
      committed = true;
    } finally {
      if (!committed) {
        close(snapshotFile);
        close(headFile);
        takeBack(change);
      }
    }
    layers.push(image, snapshotFile, change.newHead(), headFile, size);
    tree =
        tree.without(former)
            .with(image, meta)
            .with(change.newHead(), head.withName(change.newHead()));
    refreshLoose();
    finish(change);
  }

  // Counted before anything is touched, and never when a replica is opened.
  private void checkCount() throws StorageException {
    long count = tree.images().stream().filter(LonghornLayout::isSnapshot).count();
    if (count >= limits.snapshots()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "snapshots: there are " + count + ", the most a volume may have; delete some first");
    }
  }

  private static String time(String created) throws StorageException {
    try {
      Instant time = created.isEmpty() ? Instant.now() : Instant.parse(created);
      return time.truncatedTo(ChronoUnit.SECONDS).toString();
    } catch (DateTimeParseException e) {
      throw new StorageException(
          ErrorCode.INVALID, "created: must be a time in ISO 8601: " + created, e);
    }
  }

  private void takeBack(HeadChange change) throws IOException {
    boolean done = false;
    try {
      change.takeBack();
      done = true;
    } finally {
      if (!done) {
        // The directory may name the other head: nothing must be written to this one any more.
        layers.close();
      }
    }
  }

  private void finish(HeadChange change) {
    try {
      change.finish();
    } catch (IOException e) {
      LOG.warn("{}: the former head's files go later: {}", directory.path(), e.getMessage());
    }
  }

  private static void close(ReplicaFile file) throws IOException {
    if (file != null) {
      file.close();
    }
  }

  private void remember(String id) throws IOException {
    new OperationRecord(id, "", "", "", "", true).store(directory);
  }

  private void revert(ChainOperation operation) throws IOException, StorageException {
    String target = known(operation.snapshot());
    beforeRevert.run();
    newHead(operation.id(), target, state.meta().size());
  }

  private String known(String snapshot) throws StorageException {
    String image = LonghornLayout.imageOf(snapshot);
    if (!tree.has(image) || tree.meta(image).removed()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, directory.path() + " has no snapshot " + snapshot);
    }
    return image;
  }

  /** Throws the head away, for an empty one of this size on top of a layer. */
  private void newHead(String id, String parent, long size) throws IOException, StorageException {
    state.soil();
    String former = state.meta().head();
    LayerMeta head = new LayerMeta("", parent, false, false, time(""), null);
    HeadChange change = HeadChange.prepare(directory, state, id, "", null, head, size);
    LayerTree next = tree.without(former).with(change.newHead(), head.withName(change.newHead()));
    replaceHead(change, next, parent, size);
    finish(change);
  }

  private void replaceHead(HeadChange change, LayerTree next, String parent, long size)
      throws IOException, StorageException {
    LayerView view = null;
    boolean committed = false;
    try {
      List<String> names = chain(directory, next, change.newHead());
      view = Layers.view(names, Layers.openFiles(directory, names), size);
      change.commit(parent, size);
      committed = true;
    } finally {
      if (!committed) {
        if (view != null) {
          view.close();
        }
        takeBack(change);
      }
    }
    layers.replace(view);
    tree = next;
    refreshLoose();
  }

  private void remove(ChainOperation operation) throws IOException, StorageException {
    String image = LonghornLayout.imageOf(operation.snapshot());
    if (tree.has(image) && !tree.meta(image).removed()) {
      state.soil();
      LayerChecksums.forget(directory, image);
      store(image, tree.meta(image).withName(image).withRemoved(true));
      refreshLoose();
    }
    remember(operation.id());
  }

  /** Replaces a layer's metadata. */
  synchronized void store(String image, LayerMeta meta) throws IOException {
    LonghornLayout.store(directory, image, meta);
    tree = tree.with(image, meta);
  }

  /** Forgets a layer whose files are gone. */
  synchronized void forget(String image) throws IOException {
    tree = tree.without(image);
    refreshLoose();
  }

  /** A layer and its child became one file, which is the child's. */
  synchronized void folded(FoldRecord fold, LayerMeta meta) throws IOException {
    tree = tree.without(fold.removed()).with(fold.child(), meta);
    if (layers.view().slot(fold.removed()) != 0) {
      layers.fold(fold.removed(), fold.child(), directory.open(fold.child()));
    }
    refreshLoose();
  }

  /** Lets go of what reads a snapshot, before its layer changes. */
  void release(String image) throws IOException {
    readers.release(LonghornLayout.snapshotOf(image));
  }

  private void expand(ChainOperation operation) throws IOException, StorageException {
    long size = state.meta().size();
    long next = operation.sizeBytes();
    if (next < size || next % BlockIndex.BLOCK_SIZE != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "size: must be a multiple of "
              + BlockIndex.BLOCK_SIZE
              + " and at least the present "
              + size
              + ": "
              + next);
    }
    if (next > size) {
      String name = "expand-" + next;
      for (int i = 2; tree.has(LonghornLayout.imageOf(name)); i++) {
        name = "expand-" + next + "-" + i;
      }
      Map<String, String> labels = Map.of(LonghornLayout.EXPANSION_LABEL, Long.toString(next));
      snapshot(
          new ChainOperation(
              operation.id(), operation.kind(), name, false, operation.created(), labels, next),
          name,
          next);
    } else {
      remember(operation.id());
    }
  }

  // After a growth nothing was written while others could not make it: the snapshot is the head.
  private void shrink(ChainOperation operation) throws IOException, StorageException {
    if (state.meta().size() <= operation.sizeBytes()) {
      remember(operation.id());
      return;
    }
    String former = state.meta().head();
    String below = tree.parent(former);
    if (!grown(below) || layers.view().head().nextData(0) >= 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          directory.path() + ": the last operation was no growth, or the volume was used since");
    }
    state.soil();
    String parent = tree.parent(below);
    LayerMeta head = new LayerMeta("", parent, false, false, time(""), null);
    release(below);
    HeadChange change = HeadChange.prepareBack(directory, state, operation.id(), below, head);
    LayerTree next =
        tree.without(former).without(below).with(change.newHead(), head.withName(change.newHead()));
    replaceHead(change, next, parent, operation.sizeBytes());
    // Until then the snapshot and the head are one file.
    change.finish();
  }

  private boolean grown(String image) {
    return !image.isEmpty()
        && tree.meta(image).labels() != null
        && tree.meta(image).labels().containsKey(LonghornLayout.EXPANSION_LABEL);
  }

  // From the head down to the first layer that somebody keeps, or that carries another branch.
  private void refreshLoose() throws IOException {
    layers.setLoose(LayerRules.loose(tree, state.meta().head(), readers.open()));
  }

  @Override
  public synchronized List<SnapshotInfo> snapshots() throws StorageException {
    try {
      return SnapshotList.of(directory, tree, state.meta().head());
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": the snapshots cannot be listed", e);
    }
  }

  @Override
  public boolean coalesce(Set<String> locked) throws StorageException {
    try {
      return coalescer.next(locked);
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": coalescing", e);
    }
  }

  @Override
  public void read(String snapshot, long offset, ByteBuffer target) throws StorageException {
    try {
      if (!readers.read(snapshot, offset, target)) {
        openReader(snapshot);
        if (!readers.read(snapshot, offset, target)) {
          throw new IOException("too many snapshots are read at the same time");
        }
      }
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": snapshot " + snapshot, e);
    }
  }

  private synchronized void openReader(String snapshot) throws IOException, StorageException {
    readers.open(snapshot, this::openChain);
  }

  // The files are opened before a coalescing can rename one.
  private synchronized SnapshotReaders.OpenChain openChain(String snapshot)
      throws IOException, StorageException {
    List<String> names = chain(directory, tree, known(snapshot));
    return new SnapshotReaders.OpenChain(names, Layers.openFiles(directory, names));
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    try {
      ChangeList list;
      synchronized (this) {
        String top = newer.equals(SnapshotInfo.HEAD) ? state.meta().head() : known(newer);
        List<String> names = chain(directory, tree, top);
        list = ChangeList.open(directory, names, older.isEmpty() ? "" : known(older));
      }
      try (list) {
        list.visit(visitor);
      }
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": changes from " + older + " to " + newer, e);
    }
  }

  /**
   * Returns where the data is, for whoever opens this next. No request is at work, then or later.
   */
  public Optional<KnownLayers> known() {
    stopCoalescing();
    return layers.known();
  }

  /** Ends a coalescing that runs, unfinished; none follows. */
  public void stopCoalescing() {
    coalescer.stop();
  }

  @Override
  public void close() throws IOException {
    coalescer.stop();
    synchronized (this) {
      // What an engine began that was superseded meanwhile must change nothing after this.
      closed = true;
    }
    readers.close();
    layers.close();
  }
}
