package dev.holdfast.node.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.CloneState;
import dev.holdfast.resource.CloneStatus;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.Robustness;
import dev.holdfast.resource.Snapshot;
import dev.holdfast.resource.Volume;
import java.time.Duration;
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
 * Copies volumes that are open on this node from their sources, which are open here too. A copy
 * that breaks off, with this process or because one of the two was closed, starts over.
 */
@Component(service = Reconciler.class)
public final class CloneCopyReconciler implements Reconciler<Engine> {
  private static final Duration POLL = Duration.ofMillis(200);

  private final DataPaths paths;
  private final Map<String, CompletableFuture<CloneStatus>> copies = new ConcurrentHashMap<>();

  /** Creates the reconciler of a running bundle. */
  @Activate
  public CloneCopyReconciler(@Reference EngineReconciler engines) {
    this(engines.paths());
  }

  CloneCopyReconciler(DataPaths paths) {
    this.paths = paths;
  }

  @Override
  public String name() {
    return "clone-copy";
  }

  @Override
  public ResourceKind<Engine> kind() {
    return Engine.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(new Watched<>(Volume.KIND, volume -> List.of(Names.engineOf(volume.name()))));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    CompletableFuture<CloneStatus> under = copies.get(name);
    if (under != null) {
      return under.isDone() ? ended(name, under, context) : Result.after(POLL);
    }
    Optional<Volume> copy =
        context
            .get(Engine.KIND, name)
            .flatMap(engine -> context.get(Volume.KIND, engine.spec().volume()))
            .filter(volume -> volume.spec().cloneSource().isPresent())
            .filter(volume -> volume.status().cloneStatus().state() == CloneState.INITIATED);
    if (copy.isEmpty() || !isOpen(name)) {
      return Result.DONE;
    }
    String source = Names.engineOf(copy.get().spec().cloneSource().get().volume());
    Optional<Snapshot> snapshot =
        context
            .get(Snapshot.KIND, copy.get().status().cloneStatus().snapshot())
            .filter(s -> s.status().readyToUse());
    if (snapshot.isPresent() && isOpen(source)) {
      VolumeCopy task =
          new VolumeCopy(paths, source, snapshot.get().nameInVolume(), name, copy.get());
      copies.put(name, CompletableFuture.supplyAsync(() -> outcome(task), paths.executor()));
    }
    return Result.after(POLL);
  }

  private boolean isOpen(String engine) {
    return paths.view(engine).filter(view -> view.phase() == PathView.Phase.OPEN).isPresent();
  }

  private static CloneStatus outcome(VolumeCopy task) {
    try {
      return task.run();
    } catch (StorageException e) {
      throw new CompletionException(e);
    }
  }

  private Result ended(String name, CompletableFuture<CloneStatus> under, ReconcileContext context)
      throws StorageException {
    String volume = name.substring(0, name.length() - Names.engineOf("").length());
    try {
      CloneStatus began = under.join();
      record(volume, began, "", context);
    } catch (CompletionException e) {
      StorageException why = failure(volume, e);
      switch (why.code()) {
        case UNREACHABLE, BUSY, CONFLICT, TIMEOUT -> {
          // One of the two went away, or is busy: as soon as both are open it starts over.
        }
        case NOT_FOUND,
            ALREADY_EXISTS,
            INVALID,
            UNSUPPORTED,
            NO_SPACE,
            EXPIRED,
            FORBIDDEN,
            IO,
            INTERNAL ->
            fail(volume, String.valueOf(why.getMessage()), context);
      }
    }
    copies.remove(name, under);
    return Result.after(POLL);
  }

  private static StorageException failure(String volume, CompletionException e) {
    Throwable cause = e.getCause();
    return cause instanceof StorageException why
        ? why
        : new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + cause, e);
  }

  private static void fail(String volume, String why, ReconcileContext context)
      throws StorageException {
    Optional<Volume> stored = context.store().get(Volume.KIND, volume);
    if (stored.isPresent()) {
      record(volume, stored.get().status().cloneStatus(), why, context);
    }
  }

  /** Only the attempt that was made is answered, whatever took place meanwhile. */
  private static void record(String name, CloneStatus began, String why, ReconcileContext context)
      throws StorageException {
    Optional<Volume> stored = context.store().get(Volume.KIND, name);
    if (stored.isEmpty()) {
      return;
    }
    CloneStatus now = stored.get().status().cloneStatus();
    if (now.state() != CloneState.INITIATED || now.attempts() != began.attempts()) {
      return;
    }
    boolean healthy = stored.get().status().robustness() == Robustness.HEALTHY;
    CloneStatus next =
        why.isEmpty()
            ? now.withMessage("")
                .withState(
                    healthy ? CloneState.COMPLETED : CloneState.COPY_COMPLETED_AWAITING_HEALTHY)
            : CloneStatuses.failed(now, why, context.clock().instant());
    context
        .store()
        .updateStatus(stored.get().withStatus(stored.get().status().withCloneStatus(next)));
    if (why.isEmpty()) {
      context.events().normal(stored.get(), "Cloned", "its content is whole");
    } else {
      context.events().warning(stored.get(), "CloneFailed", why);
    }
  }
}
