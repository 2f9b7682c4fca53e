package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.base.BaseLayer;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.layout.VolumeMetaState;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The layers of a replica on this node. After a power cut at any time its directory holds a chain
 * that the next opening can use; see {@link ChainOperations} and {@link Coalescer}.
 */
public final class LocalChain implements ReplicaChain, Closeable {
  private final ReplicaDirectory directory;
  private final VolumeMetaState state;
  private final Layers layers;
  private final SnapshotReaders readers;
  private final Coalescer coalescer;
  private final ChainOperations operations;
  private final LayerTransfer transfer;
  private final SharedLayers shared;
  private final LayerFiles files;
  private LayerTree tree;
  private LayerGuard.Change beforeRevert = () -> {};

  private boolean closed;

  private LocalChain(
      ReplicaDirectory directory,
      VolumeMetaState state,
      LayerTree tree,
      LayerFiles files,
      Layers layers,
      ChainLimits limits) {
    this.directory = directory;
    this.files = files;
    this.state = state;
    this.tree = tree;
    this.layers = layers;
    this.readers = new SnapshotReaders();
    this.shared = new SharedLayers(directory, this);
    this.transfer = new LayerTransfer(directory, this);
    this.operations = new ChainOperations(directory, this, limits);
    this.coalescer = new Coalescer(directory, this, limits);
  }

  /**
   * Opens the layers of a locked replica. First finishes or undoes changes that a crash
   * interrupted.
   *
   * @param meta content of volume.meta, read or reconstructed
   * @param clean whether the replica was closed cleanly
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
    return open(directory, meta, clean, Optional.empty(), limits, Optional.empty());
  }

  /**
   * Opens the layers above a base, optionally with a known index.
   *
   * @param base base below the layers, empty for none
   * @param known index of the layers' data, empty to scan the files
   */
  public static LocalChain open(
      ReplicaDirectory directory,
      VolumeMeta meta,
      boolean clean,
      Optional<BaseLayer> base,
      Optional<LayerIndexCache> known)
      throws IOException, StorageException {
    return open(directory, meta, clean, base, ChainLimits.DEFAULT, known);
  }

  static LocalChain open(
      ReplicaDirectory directory,
      VolumeMeta meta,
      boolean clean,
      Optional<BaseLayer> base,
      ChainLimits limits,
      Optional<LayerIndexCache> known)
      throws IOException, StorageException {
    VolumeMetaState state = new VolumeMetaState(directory, meta, clean);
    boolean folding = directory.load(StateFiles.FOLD).isPresent();
    ChainRepair.run(directory, state);
    SharedLayers.ownClosed(directory, state.meta().head());
    LayerTree tree = LayerTree.read(directory);
    LayerFiles files = new LayerFiles(directory, base);
    List<String> chain = files.chain(tree, state.meta().head());
    if (chain.size() > BlockIndex.MAX_LAYER) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          directory.path() + " has " + chain.size() + " layers, more than this engine opens");
    }
    boolean asKnown = !folding && !state.meta().rebuilding();
    Layers layers = Layers.open(files, chain, state.meta().size(), known.filter(any -> asKnown));
    boolean done = false;
    try {
      LocalChain opened = new LocalChain(directory, state, tree, files, layers, limits);
      opened.refreshLoose();
      opened.refreshBacking();
      layers.setUnknownBelow(state.meta().rebuilding());
      if (!clean) {
        layers.expectPunched();
      }
      done = true;
      return opened;
    } finally {
      if (!done) {
        layers.close();
      }
    }
  }

  public Layers layers() {
    return layers;
  }

  /** Returns the transfer of layers from and to other replicas. */
  public LayerTransfer transfer() {
    return transfer;
  }

  /**
   * Records durably whether the layers below the head are being replaced by those of another
   * replica. Called while no request is in flight. When the replacement ends, the layers are
   * scanned again.
   */
  public synchronized void setRebuilding(boolean value) throws StorageException {
    try {
      state.soil();
      if (value) {
        state.store(state.meta().withRebuilding(true));
        layers.setUnknownBelow(true);
      } else {
        LayerTree found = LayerTree.read(directory);
        List<String> names = files.chain(found, state.meta().head());
        layers.replace(Layers.view(names, files.open(names), state.meta().size()));
        tree = found;
        layers.setUnknownBelow(false);
        refreshLoose();
        state.store(state.meta().withRebuilding(false));
      }
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": rebuilding", e);
    }
  }

  /**
   * Sets the action that runs before the head is discarded. Called once, before the first
   * operation.
   */
  public synchronized void beforeRevert(LayerGuard.Change action) {
    beforeRevert = action;
  }

  /**
   * Prepares the replica to receive the layers of another one: its head becomes the first of these
   * snapshots, the empty head above it the next, and so on. Called while no request is in flight.
   *
   * @param names names of snapshots that this replica lacks
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
          operations.snapshot(operation, name, last ? size : state.meta().size());
        }
      }
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": joining", e);
    }
  }

  public VolumeMetaState state() {
    return state;
  }

  public synchronized LayerTree tree() {
    return tree;
  }

  @Override
  public synchronized void perform(ChainOperation operation) throws StorageException {
    checkOpen();
    try {
      operations.perform(operation);
    } catch (IOException e) {
      throw StorageException.io(
          directory.path() + ": " + operation.kind() + " " + operation.snapshot(), e);
    }
  }

  /** Returns the image of a snapshot; fails when it is absent or removed. */
  String known(String snapshot) throws StorageException {
    String image = LonghornLayout.imageOf(snapshot);
    if (!tree.has(image) || tree.meta(image).removed()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, directory.path() + " has no snapshot " + snapshot);
    }
    return image;
  }

  /** Replaces a layer's metadata. */
  synchronized void store(String image, LayerMeta meta) throws IOException {
    LonghornLayout.store(directory, image, meta);
    tree = tree.with(image, meta);
  }

  /** Removes a layer whose files are deleted from the tree. */
  synchronized void forget(String image) throws IOException {
    tree = tree.without(image);
    refreshLoose();
  }

  /** Records that a layer and its child became one file, which is the child's. */
  synchronized void folded(CoalesceRecord fold, LayerMeta meta) throws IOException {
    tree = tree.without(fold.removed()).with(fold.child(), meta);
    if (layers.view().slot(fold.removed()) != 0) {
      layers.fold(fold.removed(), fold.child(), directory.open(fold.child()));
    }
    refreshLoose();
  }

  /** Closes the readers of a snapshot before its layer changes. */
  void release(String image) throws IOException {
    readers.release(LonghornLayout.snapshotOf(image));
  }

  /**
   * Closes the files of all snapshot readers; each reader opens the present files at its next
   * request.
   */
  void releaseAll() throws IOException {
    readers.close();
  }

  /** Sets the layers. */
  synchronized void use(LayerTree next) throws IOException {
    tree = next;
    refreshLoose();
  }

  LayerGuard.Change beforeRevert() {
    return beforeRevert;
  }

  // Loose layers: from the head down to the first layer that is a kept snapshot, carries another
  // branch, or is shared with another replica.
  private void refreshLoose() throws IOException {
    Set<String> locked = new HashSet<>(readers.open());
    locked.addAll(shared.among(tree.images()));
    layers.setLoose(LayerRules.loose(tree, state.meta().head(), locked));
  }

  // Another program may have recorded another path, or the disk may have moved.
  private void refreshBacking() throws IOException {
    boolean any = !shared.among(tree.images()).isEmpty();
    String base = files.base().map(BaseLayer::path).orElse("");
    if (any != state.meta().shared() || !base.equals(state.meta().base())) {
      state.soil();
      state.store(state.meta().withBacking(any, base));
    }
  }

  /** Returns the names and the opener of the layers' files. */
  LayerFiles files() {
    return files;
  }

  /** Returns the base below the layers, empty for none. */
  public Optional<BaseLayer> base() {
    return files.base();
  }

  /** Returns the guard of the layers that other replicas share. */
  SharedLayers shared() {
    return shared;
  }

  /**
   * Shares the layers of a snapshot with a new replica of another volume without copying data.
   *
   * @param volume volume of the new replica
   * @param folder folder of the new replica, on the same file system
   * @throws StorageException NOT_FOUND when the snapshot is absent, BUSY while this replica is
   *     rebuilt, UNSUPPORTED when the folder is on another file system
   */
  public synchronized SharedSnapshot share(String volume, String snapshot, Path folder)
      throws StorageException {
    checkOpen();
    try {
      return new LayerLinks(directory, this).share(volume, snapshot, folder);
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": sharing " + snapshot, e);
    }
  }

  private void checkOpen() throws StorageException {
    if (closed) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, directory.path() + ": was closed, perhaps for another engine");
    }
  }

  @Override
  public synchronized List<SnapshotInfo> snapshots() throws StorageException {
    try {
      return SnapshotList.of(directory, tree, state.meta().head(), coalescer.resting());
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

  // Open the files under the lock, before coalescing can rename one.
  private synchronized SnapshotReaders.OpenChain openChain(String snapshot)
      throws IOException, StorageException {
    List<String> names = files.chain(tree, known(snapshot));
    return new SnapshotReaders.OpenChain(names, files.open(names));
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    try {
      ChangeList list;
      synchronized (this) {
        String top = newer.equals(SnapshotInfo.HEAD) ? state.meta().head() : known(newer);
        List<String> names = files.chain(tree, top);
        list = ChangeList.open(directory, files, names, imageBefore(older));
      }
      try (list) {
        list.visit(visitor);
      }
    } catch (IOException e) {
      throw StorageException.io(directory.path() + ": changes from " + older + " to " + newer, e);
    }
  }

  private String imageBefore(String older) throws StorageException {
    if (older.equals(SnapshotInfo.BASE)) {
      return files.base().map(BaseLayer::name).orElse("");
    }
    return older.isEmpty() ? "" : known(older);
  }

  /** Returns the index for the next opening. Called when no request is in flight or can follow. */
  public Optional<LayerIndexCache> known() {
    stopCoalescing();
    return layers.known();
  }

  /** Interrupts a running coalescing and prevents further ones. */
  public void stopCoalescing() {
    coalescer.stop();
  }

  @Override
  public void close() throws IOException {
    coalescer.stop();
    synchronized (this) {
      // Set under the lock: work that a superseded engine began must not change the replica after
      // this.
      closed = true;
    }
    readers.close();
    layers.close();
  }
}
