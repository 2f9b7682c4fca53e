package dev.holdfast.datapath.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.CallFailures;
import dev.holdfast.datapath.NodeEngineReconciler;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
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
 * Applies changes of the spec to an open volume: the limits of its clients, and its size. The node
 * that has it open expands it; the nodes that forward to it follow.
 */
@Component(service = Reconciler.class)
public final class OpenVolumeReconciler implements NodeEngineReconciler {
  private static final Duration POLL = Duration.ofMillis(50);

  private final LocalAttachedVolumes volumes;
  private final Map<String, CompletableFuture<Boolean>> growing = new ConcurrentHashMap<>();

  /** Creates the reconciler of a running bundle. */
  @Activate
  public OpenVolumeReconciler(@Reference LocalAttachedVolumes volumes) {
    this.volumes = volumes;
  }

  @Override
  public String name() {
    return "open-volume";
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(NodeEngineReconciler.volumesOf(context));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<LocalAttachedVolume> attached =
        volumes.find(name).filter(found -> hasClients(found.status()));
    Optional<Engine> engine = context.get(Engine.KIND, name);
    Optional<Volume> volume =
        engine.flatMap(known -> context.get(Volume.KIND, known.spec().volume()));
    if (attached.isEmpty() || engine.isEmpty() || volume.isEmpty()) {
      growing.remove(name);
      return Result.DONE;
    }
    attached.get().limit(VolumeLimits.of(volume.get()));
    if (attached.get().status().phase() == AttachedVolumeStatus.Phase.FORWARDING) {
      // Use the owner's size: requests of these clients must not reach beyond it.
      attached.get().follow(engine.get().status().currentSize().bytes());
      return Result.DONE;
    }
    return engine.get().spec().nodeID().equals(context.nodeName())
        ? grow(name, volume.get(), attached.get(), context)
        : Result.DONE;
  }

  private static boolean hasClients(AttachedVolumeStatus status) {
    return status.phase() == AttachedVolumeStatus.Phase.OPEN
        || status.phase() == AttachedVolumeStatus.Phase.FORWARDING;
  }

  private Result grow(
      String name, Volume volume, LocalAttachedVolume attached, ReconcileContext context)
      throws StorageException {
    CompletableFuture<Boolean> under = growing.get(name);
    if (under != null) {
      return under.isDone() ? ended(name, volume, under, context) : Result.after(POLL);
    }
    long wanted = volume.spec().size().bytes();
    if (wanted <= attached.status().sizeBytes() || volume.isBeingDeleted()) {
      note(name, Optional.empty(), context);
      return Result.DONE;
    }
    growing.put(
        name,
        attached.operate(
            (opened, present) -> {
              if (!(opened instanceof ExpandableVolume expandable)) {
                return false;
              }
              expandable.expand(wanted);
              return true;
            }));
    return Result.after(POLL);
  }

  private Result ended(
      String name, Volume volume, CompletableFuture<Boolean> under, ReconcileContext context)
      throws StorageException {
    growing.remove(name);
    try {
      if (under.join()) {
        note(name, Optional.empty(), context);
        context
            .events()
            .normal(volume, "Expanded", "the device has grown to " + volume.spec().size());
      }
      return Result.DONE;
    } catch (CompletionException e) {
      StorageException why = CallFailures.of(volume.name(), e);
      context.events().warning(volume, "ExpansionFailed", String.valueOf(why.getMessage()));
      note(name, Optional.of(why), context);
      throw why;
    }
  }

  /**
   * The engine's status keeps the failure to grow until the volume grew or its wanted size was
   * reduced.
   */
  private static void note(String name, Optional<StorageException> why, ReconcileContext context)
      throws StorageException {
    Optional<Engine> cached = context.get(Engine.KIND, name);
    boolean told = cached.filter(EngineStatuses::saysNotExpanded).isPresent();
    if (told || why.isPresent()) {
      EngineReporter.report(
          context.store(),
          name,
          engine ->
              engine.withStatus(EngineStatuses.expansion(engine, why, context.clock().instant())));
    }
  }
}
