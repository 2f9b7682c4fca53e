package dev.holdfast.datapath.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.CallFailures;
import dev.holdfast.datapath.NodeEngineReconciler;
import dev.holdfast.datapath.internal.condition.PlacedCondition;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.placement.PlacedVolume;
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
 * Activates the node that a volume names, for volumes whose disk only one node uses at a time, and
 * reports the active node. The place may change without this node, so it is read again
 * periodically.
 */
@Component(service = Reconciler.class)
public final class PlacementReconciler implements NodeEngineReconciler {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final LocalAttachedVolumes volumes;
  private final Map<String, Call> running = new ConcurrentHashMap<>();

  /**
   * A call of an engine.
   *
   * @param wanted the node that the volume named when the call began; may be empty
   * @param place the node that is active after the call
   */
  private record Call(String wanted, CompletableFuture<String> place) {}

  /** Creates the reconciler of a running bundle. */
  @Activate
  public PlacementReconciler(@Reference LocalAttachedVolumes volumes) {
    this.volumes = volumes;
  }

  @Override
  public String name() {
    return "placement";
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(NodeEngineReconciler.volumesOf(context));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<LocalAttachedVolume> attached =
        volumes.find(name).filter(PlacementReconciler::isPlaced);
    Optional<Volume> volume =
        context
            .get(Engine.KIND, name)
            .flatMap(engine -> context.get(Volume.KIND, engine.spec().volume()));
    if (attached.isEmpty() || volume.isEmpty()) {
      running.remove(name);
      return Result.DONE;
    }
    String wanted = volume.get().spec().activeNodeID();
    Call call = running.get(name);
    if (call == null) {
      running.put(
          name,
          new Call(wanted, attached.get().operate((opened, present) -> place(opened, wanted))));
      return Result.after(POLL);
    }
    if (!call.place().isDone()) {
      return Result.after(POLL);
    }
    Result result = ended(name, call.place(), context);
    // Call again if the volume changed during the call.
    return call.wanted().equals(wanted) ? result : Result.after(POLL);
  }

  private static boolean isPlaced(LocalAttachedVolume attached) {
    return attached.status().phase() == AttachedVolumeStatus.Phase.OPEN
        && attached
            .usedEngine()
            .filter(engine -> engine.capabilities().contains(EngineCapability.PLACEMENT))
            .isPresent();
  }

  private static String place(OpenVolume opened, String wanted) throws StorageException {
    if (!(opened instanceof PlacedVolume placed)) {
      return "";
    }
    String active = placed.activeNode();
    if (wanted.isEmpty() || wanted.equals(active)) {
      return active;
    }
    placed.moveTo(wanted);
    return placed.activeNode();
  }

  private Result ended(String name, CompletableFuture<String> call, ReconcileContext context)
      throws StorageException {
    running.remove(name);
    try {
      report(name, Optional.of(call.join()), Optional.empty(), context);
      return Result.after(PERIOD);
    } catch (CompletionException e) {
      StorageException why = CallFailures.of(name, e);
      report(name, Optional.empty(), Optional.of(why), context);
      throw why;
    }
  }

  private static void report(
      String name,
      Optional<String> active,
      Optional<StorageException> failure,
      ReconcileContext context)
      throws StorageException {
    var unused =
        EngineReporter.report(
            context.store(),
            name,
            engine ->
                engine.withStatus(
                    PlacedCondition.of(engine, active, failure, context.clock().instant())));
  }
}
