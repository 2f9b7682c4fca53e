package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.CallFailures;
import dev.holdfast.datapath.CopyRecord;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.NodeEngineReconciler;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Copies the content of source volumes into clones while both are open on this node. An interrupted
 * copy resumes as soon as both are open on one node again.
 */
@Component(service = Reconciler.class)
public final class CloneCopyReconciler implements NodeEngineReconciler {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final AttachedVolumes paths;
  private final Map<String, Copying> copyings = new ConcurrentHashMap<>();
  private final Map<String, Instant> pauses = new ConcurrentHashMap<>();

  private record Copying(CopyingDevice device, Volume copy, CompletableFuture<Void> end) {}

  /** Creates the reconciler of a running bundle. */
  @Activate
  public CloneCopyReconciler(@Reference AttachedVolumes paths) {
    this.paths = paths;
  }

  @Override
  public String name() {
    return "clone-copy";
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(NodeEngineReconciler.volumesOf(context));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Copying under = copyings.get(name);
    if (under != null) {
      return under.end().isDone() ? ended(name, under, context) : Result.after(POLL);
    }
    Optional<CopyingDevice> device = paths.get(name).flatMap(AttachedVolume::copying);
    Optional<Volume> copy =
        context
            .get(Engine.KIND, name)
            .flatMap(
                engine ->
                    context
                        .get(Volume.KIND, engine.spec().volume())
                        .filter(volume -> volume.follows(engine)))
            .filter(volume -> volume.spec().cloneSource().isPresent())
            .filter(Volume::isUsableWhileCopied);
    if (copy.isEmpty() || device.isEmpty()) {
      return Result.DONE;
    }
    Instant now = context.clock().instant();
    Instant due = pauses.getOrDefault(name, now);
    boolean waits = due.isAfter(now) && !due.isAfter(now.plus(PAUSE));
    Optional<String> source =
        ActiveEngines.of(copy.get().spec().cloneSource().orElseThrow().volume(), context)
            .map(Engine::name)
            .filter(this::isOpen);
    Optional<Snapshot> snapshot =
        context.get(Snapshot.KIND, copy.get().status().cloneStatus().snapshot());
    if (!waits && snapshot.isPresent() && source.isPresent()) {
      begin(name, device.get(), copy.get(), source.get(), snapshot.get());
    }
    return Result.after(POLL);
  }

  private boolean isOpen(String engine) {
    return paths
        .get(engine)
        .filter(volume -> volume.status().phase() == AttachedVolumeStatus.Phase.OPEN)
        .isPresent();
  }

  private void begin(
      String name, CopyingDevice device, Volume copy, String source, Snapshot snapshot) {
    RegionCopy task =
        new RegionCopy(
            new SnapshotSource(paths, source, snapshot.nameInVolume()),
            device,
            new CopyRecord(paths::store, copy));
    CompletableFuture<Void> end =
        CompletableFuture.runAsync(
            () -> {
              try {
                task.run();
              } catch (StorageException e) {
                throw new CompletionException(e);
              }
            },
            paths.executor());
    copyings.put(name, new Copying(device, copy, end));
  }

  private Result ended(String name, Copying under, ReconcileContext context)
      throws StorageException {
    try {
      under.end().join();
      complete(under.copy(), context);
      pauses.remove(name);
    } catch (CompletionException e) {
      StorageException why = CallFailures.of("volume " + under.copy().name(), e);
      switch (why.code()) {
        case UNREACHABLE, BUSY, CONFLICT, TIMEOUT -> {
          // Source, copy or store is unreachable or busy: requests wait until the copy continues.
        }
        case NOT_FOUND,
            ALREADY_EXISTS,
            INVALID,
            UNSUPPORTED,
            NO_SPACE,
            EXPIRED,
            FORBIDDEN,
            IO,
            INTERNAL -> {
          // A closed volume also causes a failure. The copy then waits for the next opening.
          if (paths
              .get(name)
              .flatMap(AttachedVolume::copying)
              .filter(device -> device == under.device())
              .isPresent()) {
            pauses.put(name, context.clock().instant().plus(PAUSE));
            under.device().fail(why);
            tell(under.copy(), String.valueOf(why.getMessage()), context);
          }
        }
      }
    }
    copyings.remove(name, under);
    return Result.after(POLL);
  }

  private static Optional<Volume> stored(Volume copy, ReconcileContext context)
      throws StorageException {
    return context
        .store()
        .get(Volume.KIND, copy.name())
        .filter(found -> found.metadata().uid().equals(copy.metadata().uid()))
        .filter(Volume::isUsableWhileCopied);
  }

  private void tell(Volume copy, String why, ReconcileContext context) throws StorageException {
    Optional<Volume> stored = stored(copy, context);
    if (stored.filter(v -> !v.status().cloneStatus().message().equals(why)).isPresent()) {
      write(stored.get(), stored.get().status().cloneStatus().withMessage(why), context);
      context.events().warning(stored.get(), "CloneFailed", why);
    }
  }

  private static void complete(Volume copy, ReconcileContext context) throws StorageException {
    Optional<Volume> stored = stored(copy, context);
    if (stored.isEmpty()) {
      return;
    }
    boolean healthy = stored.get().status().robustness() == Robustness.HEALTHY;
    CloneState state = healthy ? CloneState.COMPLETED : CloneState.COPY_COMPLETED_AWAITING_HEALTHY;
    CloneStatus status = stored.get().status().cloneStatus();
    write(
        stored.get(),
        status
            .withState(state)
            .withMessage("")
            .withCopySize(Quantity.ZERO)
            .withRegionSize(Quantity.ZERO)
            .withCopiedRegions(""),
        context);
    context.events().normal(stored.get(), "Cloned", "its content is complete");
  }

  private static void write(Volume volume, CloneStatus status, ReconcileContext context)
      throws StorageException {
    context.store().updateStatus(volume.withStatus(volume.status().withCloneStatus(status)));
  }
}
