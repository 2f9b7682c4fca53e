package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.OperationRecord;
import dev.holdfast.engine.sparse.internal.layout.VolumeMetaState;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs snapshots, reverts, removals, expansions and the rollback of expansions. Each is atomic
 * across a crash; see {@link HeadChange}. The caller holds the chain's lock.
 */
final class ChainOperations {
  private static final Logger LOG = LoggerFactory.getLogger(ChainOperations.class);

  private final ReplicaDirectory directory;
  private final LocalChain chain;
  private final ChainLimits limits;
  private final VolumeMetaState state;
  private final Layers layers;

  ChainOperations(ReplicaDirectory directory, LocalChain chain, ChainLimits limits) {
    this.directory = directory;
    this.chain = chain;
    this.limits = limits;
    this.state = chain.state();
    this.layers = chain.layers();
  }

  /**
   * Performs an operation that this replica has not performed yet.
   *
   * @throws StorageException as {@link ReplicaChain#perform}
   */
  void perform(ChainOperation operation) throws IOException, StorageException {
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
  }

  private void snapshot(ChainOperation operation) throws IOException, StorageException {
    LayerTree tree = chain.tree();
    String image = LonghornLayout.imageOf(operation.snapshot());
    if (tree.has(image) && tree.meta(image).removed()) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          "snapshot " + operation.snapshot() + " is removed, and its data is still there");
    }
    if (tree.has(image)) {
      remember(operation.id());
    } else {
      snapshot(operation, operation.snapshot(), state.meta().size());
    }
  }

  void snapshot(ChainOperation operation, String name, long size)
      throws IOException, StorageException {
    LayerTree tree = chain.tree();
    checkCount();
    String image = LonghornLayout.imageOf(name);
    Map<String, String> labels = operation.labels().isEmpty() ? null : operation.labels();
    String created = time(operation.created());
    String former = state.meta().head();
    LayerMeta meta =
        new LayerMeta(former, tree.parent(former), false, operation.userCreated(), created, labels);
    LayerMeta head = new LayerMeta("", image, false, false, created, null);
    state.soil();
    // Later syncs include only the new head.
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
        withdraw(change);
      }
    }
    layers.push(image, snapshotFile, change.newHead(), headFile, size);
    chain.use(
        tree.without(former)
            .with(image, meta)
            .with(change.newHead(), head.withName(change.newHead())));
    finish(change);
  }

  // Check the limit before any change, and never when a replica is opened.
  private void checkCount() throws StorageException {
    long count = chain.tree().images().stream().filter(LonghornLayout::isSnapshot).count();
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

  private void withdraw(HeadChange change) throws IOException {
    boolean done = false;
    try {
      change.withdraw();
      done = true;
    } finally {
      if (!done) {
        // The directory may already name the other head: the caller must not write to the present
        // one afterwards.
        layers.close();
      }
    }
  }

  private void finish(HeadChange change) {
    try {
      change.finish();
    } catch (IOException e) {
      LOG.warn(
          "{}: could not remove the files of the former head, retrying later: {}",
          directory.path(),
          e.getMessage());
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
    String target = chain.known(operation.snapshot());
    chain.beforeRevert().run();
    newHead(operation.id(), target, state.meta().size());
  }

  /** Discards the head and puts an empty head of the given size on top of a layer. */
  private void newHead(String id, String parent, long size) throws IOException, StorageException {
    LayerTree tree = chain.tree();
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
      List<String> names = chain.files().chain(next, change.newHead());
      view = Layers.view(names, chain.files().open(names), size);
      change.commit(parent, size);
      committed = true;
    } finally {
      if (!committed) {
        if (view != null) {
          view.close();
        }
        withdraw(change);
      }
    }
    layers.replace(view);
    chain.use(next);
  }

  private void remove(ChainOperation operation) throws IOException, StorageException {
    LayerTree tree = chain.tree();
    String image = LonghornLayout.imageOf(operation.snapshot());
    if (tree.has(image) && !tree.meta(image).removed()) {
      state.soil();
      LayerChecksums.forget(directory, image);
      chain.store(image, tree.meta(image).withName(image).withRemoved(true));
      chain.use(chain.tree());
    }
    remember(operation.id());
  }

  private void expand(ChainOperation operation) throws IOException, StorageException {
    LayerTree tree = chain.tree();
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

  // No write happens after an expansion that other replicas could not perform: the snapshot's
  // content is the head's content.
  private void shrink(ChainOperation operation) throws IOException, StorageException {
    LayerTree tree = chain.tree();
    if (state.meta().size() <= operation.sizeBytes()) {
      remember(operation.id());
      return;
    }
    String former = state.meta().head();
    String below = tree.parent(former);
    if (!grown(below) || layers.view().head().nextData(0) >= 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          directory.path()
              + ": cannot undo the growth: the last operation is another one,"
              + " or the volume was used since");
    }
    state.soil();
    String parent = tree.parent(below);
    LayerMeta head = new LayerMeta("", parent, false, false, time(""), null);
    chain.release(below);
    // The snapshot's file becomes the head and will be written: it must not be shared.
    chain.shared().own(below, SharedLayers.Progress.UNHURRIED);
    HeadChange change = HeadChange.prepareBack(directory, state, operation.id(), below, head);
    LayerTree next =
        tree.without(former).without(below).with(change.newHead(), head.withName(change.newHead()));
    replaceHead(change, next, parent, operation.sizeBytes());
    // Until the former head is removed, the snapshot and the head are one file.
    change.finish();
  }

  private boolean grown(String image) {
    return !image.isEmpty()
        && chain.tree().meta(image).labels() != null
        && chain.tree().meta(image).labels().containsKey(LonghornLayout.EXPANSION_LABEL);
  }
}
