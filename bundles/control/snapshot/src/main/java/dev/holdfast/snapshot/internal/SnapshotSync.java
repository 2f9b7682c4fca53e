package dev.holdfast.snapshot.internal;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the snapshots of one open volume and their resources match. Runs as one step on the
 * attached volume, so that the listing of the engine stays valid until it ends. Reads the store,
 * not a cache, because taking or removing a snapshot cannot be undone.
 */
final class SnapshotSync {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotSync.class);
  private static final int MOST_STEPS = 6;

  private final ResourceStore store;
  private final InstantSource clock;
  private final Volume volume;
  private final SnapshotVolume opened;
  private final SnapshotOperations actions;
  private Map<String, SnapshotInfo> listed = Map.of();
  private boolean unfinished;

  /**
   * Snapshots of the volume, and whether a step must be retried.
   *
   * @param listed by name
   * @param unfinished whether a step failed that may succeed later
   */
  record Outcome(Map<String, SnapshotInfo> listed, boolean unfinished) {}

  SnapshotSync(
      ResourceStore store,
      InstantSource clock,
      Volume volume,
      SnapshotVolume opened,
      SnapshotOperations actions) {
    this.store = store;
    this.clock = clock;
    this.volume = volume;
    this.opened = opened;
    this.actions = actions;
  }

  Outcome run() throws StorageException {
    list();
    boolean removing = listed.values().stream().anyMatch(SnapshotInfo::removed);
    Set<String> described = new HashSet<>();
    List<Snapshot> resources = resources();
    for (Snapshot snapshot : resources) {
      described.add(snapshot.nameInVolume());
      settle(snapshot);
    }
    actions.attend(volume, resources, opened);
    for (SnapshotInfo info : List.copyOf(listed.values())) {
      if (!described.contains(info.name()) && !info.removed()) {
        describe(info);
      }
    }
    if (removing) {
      continueRemovals();
    }
    return new Outcome(Map.copyOf(listed), unfinished);
  }

  /**
   * Lets the engine coalesce the snapshots that an earlier pass removed. The end of an opening
   * interrupts that, and a snapshot that still exists keeps its volume attached.
   */
  private void continueRemovals() {
    try {
      opened.purge();
    } catch (StorageException e) {
      LOG.debug("volume {}: could not remove snapshots: {}", volume.name(), e.getMessage());
    }
  }

  /** Returns the resources in the order of the requests. */
  private List<Snapshot> resources() throws StorageException {
    return store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
        .filter(snapshot -> snapshot.spec().volume().equals(volume.name()))
        .sorted(
            Comparator.<Snapshot, Instant>comparing(
                    s -> s.metadata().creationTimestamp().orElse(Instant.EPOCH))
                .thenComparing(Snapshot::name))
        .toList();
  }

  private void list() throws StorageException {
    Map<String, SnapshotInfo> found = new HashMap<>();
    opened.snapshots().forEach(info -> found.put(info.name(), info));
    listed = found;
  }

  private void settle(Snapshot found) throws StorageException {
    Snapshot snapshot =
        actions.isToBeShownAgain(found) ? write(found, found.status().withEndpoint("")) : found;
    for (int i = 0; i < MOST_STEPS; i++) {
      Optional<SnapshotInfo> info = Optional.ofNullable(listed.get(snapshot.nameInVolume()));
      SnapshotStep step = SnapshotStep.next(snapshot, info, opened.device().size());
      Optional<Snapshot> next;
      try {
        next = apply(step, snapshot, info);
      } catch (EngineFailure e) {
        next = Optional.empty();
        failed(step, snapshot, e.cause());
      }
      if (next.isEmpty()) {
        return;
      }
      snapshot = next.get();
    }
  }

  /** Makes a step. Returns the resource if another step may follow. */
  private Optional<Snapshot> apply(
      SnapshotStep step, Snapshot snapshot, Optional<SnapshotInfo> info)
      throws StorageException, EngineFailure {
    SnapshotStatus status = snapshot.status();
    return switch (step) {
      case NOTHING -> Optional.empty();
      case REQUEST -> Optional.of(store.update(claimed(snapshot)));
      case TAKE -> take(snapshot);
      case RECORD ->
          Optional.of(
              write(
                  snapshot,
                  SnapshotStatuses.of(status, info.orElseThrow(), opened.device().size())));
      case LOSE -> fail(snapshot, "lost: the volume's engine has no snapshot of this name");
      case DISCARD -> store.delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
      case REFUSE ->
          fail(snapshot, "volume " + volume.name() + " has no snapshot " + snapshot.nameInVolume());
      case REMOVE -> remove(snapshot);
      case RELEASE -> {
        store.update(snapshot.withMetadata(snapshot.metadata().minusFinalizer(Snapshot.FINALIZER)));
        yield Optional.empty();
      }
      case REVERT -> {
        Optional<Snapshot> reverted = actions.revert(volume, snapshot, opened, listed);
        list();
        yield reverted;
      }
      case SHOW -> Optional.of(write(snapshot, actions.show(volume, snapshot, opened)));
      case COMPARE -> {
        actions.compare(snapshot, opened);
        yield Optional.empty();
      }
      case SCRUB -> {
        actions.scrub(snapshot, opened);
        yield Optional.empty();
      }
    };
  }

  private Optional<Snapshot> fail(Snapshot snapshot, String message) throws StorageException {
    return Optional.of(write(snapshot, SnapshotStatuses.failed(snapshot.status(), message)));
  }

  private Optional<Snapshot> remove(Snapshot snapshot) throws StorageException, EngineFailure {
    actions.hide(snapshot);
    EngineFailure.telling(() -> opened.deleteSnapshot(snapshot.nameInVolume()));
    LOG.info("volume {}: deleted snapshot {}", volume.name(), snapshot.nameInVolume());
    list();
    return Optional.of(snapshot);
  }

  private Optional<Snapshot> take(Snapshot snapshot) throws StorageException, EngineFailure {
    if (volume.awaitsContent()) {
      unfinished = true;
      write(
          snapshot,
          snapshot
              .status()
              .withMessage("waits until volume " + volume.name() + " is copied whole"));
      return Optional.empty();
    }
    int most = volume.spec().snapshotMaxCount();
    // Removed snapshots may stay long if clones share them. The engine has a limit for all
    // snapshots.
    long kept = listed.values().stream().filter(info -> !info.removed()).count();
    if (kept >= most) {
      return fail(
          snapshot,
          "volume "
              + volume.name()
              + " has "
              + kept
              + " snapshots, and the limit is "
              + most
              + " (spec.snapshotMaxCount): delete some first");
    }
    SnapshotRequest request = request(snapshot);
    AtomicBoolean frozen = new AtomicBoolean();
    EngineFailure.telling(() -> frozen.set(actions.take(snapshot, opened, request)));
    LOG.info(
        "volume {}: snapshot {} is taken{}",
        volume.name(),
        request.name(),
        frozen.get() ? ", its filesystem was frozen" : "");
    list();
    // The flag is not written yet. It is written with the other values of the next step.
    return Optional.of(snapshot.withStatus(snapshot.status().withFilesystemFrozen(frozen.get())));
  }

  private SnapshotRequest request(Snapshot snapshot) {
    Map<String, String> labels = new HashMap<>(snapshot.spec().labels());
    labels.put(Snapshot.UID_LABEL, snapshot.metadata().uid());
    return new SnapshotRequest(
        snapshot.nameInVolume(), true, created(snapshot).truncatedTo(ChronoUnit.SECONDS), labels);
  }

  private Instant created(Snapshot snapshot) {
    return Optional.ofNullable(snapshot.metadata().annotations().get(Snapshot.CREATED_ANNOTATION))
        .map(Instant::parse)
        .orElseGet(clock::instant);
  }

  /**
   * Records a permanent failure as failed, and another one as the reason why the snapshot waits.
   */
  private void failed(SnapshotStep step, Snapshot snapshot, StorageException why)
      throws StorageException {
    LOG.warn(
        "volume {}: snapshot {}: {} failed: {}",
        volume.name(),
        snapshot.nameInVolume(),
        step,
        why.getMessage());
    boolean hopeless = why.code() == ErrorCode.INVALID || why.code() == ErrorCode.UNSUPPORTED;
    if (step == SnapshotStep.TAKE && hopeless) {
      write(snapshot, SnapshotStatuses.failed(snapshot.status(), String.valueOf(why.getMessage())));
      return;
    }
    unfinished = true;
    write(snapshot, snapshot.status().withMessage(String.valueOf(why.getMessage())));
  }

  private Snapshot write(Snapshot snapshot, SnapshotStatus status) throws StorageException {
    return status.equals(snapshot.status())
        ? snapshot
        : store.updateStatus(snapshot.withStatus(status));
  }

  private Snapshot claimed(Snapshot snapshot) {
    Map<String, String> labels = new HashMap<>(snapshot.metadata().labels());
    labels.put(Volume.LABEL, volume.name());
    return snapshot.withMetadata(
        snapshot
            .metadata()
            .plusFinalizer(Snapshot.FINALIZER)
            .withLabels(labels)
            .withOwnerReferences(List.of(OwnerReference.controller(volume))));
  }

  /** Creates the resource of a snapshot that has none. */
  private void describe(SnapshotInfo info) throws StorageException {
    Snapshot snapshot =
        Snapshot.of(
            Snapshot.nameFor(volume.name(), info.name()),
            SnapshotSpec.EMPTY
                .withVolume(volume.name())
                .withCreateSnapshot(false)
                .withSnapshotName(info.name())
                .withLabels(info.labels()));
    try {
      Snapshot created = store.create(claimed(snapshot));
      write(created, SnapshotStatuses.of(created.status(), info, opened.device().size()));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS && e.code() != ErrorCode.INVALID) {
        throw e;
      }
      LOG.debug(
          "volume {}: could not create a resource for its snapshot {} as {}: {}",
          volume.name(),
          info.name(),
          snapshot.name(),
          e.getMessage());
    }
  }

  /** A failure of the engine, which concerns one snapshot; those of the store end the pass. */
  static final class EngineFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private EngineFailure(StorageException cause) {
      super(cause);
    }

    StorageException cause() {
      return (StorageException) getCause();
    }

    /** A call whose failure is one of the engine. */
    @FunctionalInterface
    interface Call {
      void run() throws StorageException;
    }

    static void telling(Call call) throws EngineFailure {
      try {
        call.run();
      } catch (StorageException e) {
        throw new EngineFailure(e);
      }
    }
  }
}
