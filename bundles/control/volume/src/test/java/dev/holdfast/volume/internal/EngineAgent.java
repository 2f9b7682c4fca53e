package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.RebuildStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Simulates a node that opens and closes engines by the contract of Engine: it records its claim
 * (the finalizer) before it opens, and reports stopped only after it closed the volume. It has no
 * further checks, so that a mistake of a controller has an effect.
 */
final class EngineAgent implements Reconciler<Engine> {
  private static final String FINALIZER = "holdfast.dev/engine";

  private final DataPathWorld world;
  private final Random random;

  EngineAgent(DataPathWorld world, String node, Random random) {
    this.world = world;
    this.random = random;
    world.started(node);
  }

  @Override
  public String name() {
    return "engine-agent";
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
    return List.of(new Watched<>(Replica.KIND, replica -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Engine> found = context.get(Engine.KIND, name);
    if (found.isEmpty()) {
      return Result.DONE;
    }
    Engine engine = found.get();
    String node = context.nodeName();
    boolean wanted =
        !engine.isBeingDeleted()
            && engine.spec().desireState() == DesireState.RUNNING
            && engine.spec().nodeID().equals(node);
    boolean open = world.isOpen(engine.spec().volume(), node);
    if (wanted) {
      return open ? report(engine, context) : open(engine, context);
    }
    if (open) {
      world.close(engine.spec().volume(), node);
    }
    boolean running = engine.status().currentState() != InstanceState.STOPPED;
    boolean named =
        engine.status().nodeID().equals(node) || (engine.spec().nodeID().equals(node) && !running);
    boolean ours = named && (running || engine.metadata().hasFinalizer(FINALIZER));
    if (open || ours) {
      release(engine, context);
    }
    return Result.DONE;
  }

  private Result open(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    boolean claimed =
        engine.metadata().hasFinalizer(FINALIZER)
            && engine.status().nodeID().equals(node)
            && engine.status().currentState() == InstanceState.STARTING;
    if (!claimed) {
      Engine held =
          context.store().update(engine.withMetadata(engine.metadata().plusFinalizer(FINALIZER)));
      status(held, idle(held, InstanceState.STARTING), context);
      return Result.after(Duration.ofMillis(random.nextInt(500)));
    }
    if (random.nextInt(4) == 0) {
      return Result.after(Duration.ofMillis(random.nextInt(3_000)));
    }
    List<Replica> replicas = usable(engine, context);
    world.begin(identity(engine), replicas);
    Set<String> members = world.members(identity(engine));
    boolean oneIsThere =
        replicas.stream()
            .map(DataPathWorld::identity)
            .anyMatch(uid -> members.contains(uid) && world.hasData(uid));
    if (!oneIsThere) {
      return Result.after(Duration.ofSeconds(1));
    }
    world.open(engine.spec().volume(), node);
    return report(engine, context);
  }

  private static String identity(Engine engine) {
    return engine.spec().volume() + "/" + engine.metadata().uid();
  }

  /** Returns the usable replicas, read from the store as a node does. */
  private static List<Replica> usable(Engine engine, ReconcileContext context)
      throws StorageException {
    return context
        .store()
        .list(Replica.KIND, LabelSelector.label("holdfast.dev/volume", engine.spec().volume()))
        .items()
        .stream()
        .filter(r -> r.spec().failedAt().isEmpty() && r.status().provisioned())
        .filter(r -> !r.isDisposable())
        .toList();
  }

  private Result report(Engine engine, ReconcileContext context) throws StorageException {
    List<Replica> replicas = usable(engine, context);
    Optional<RebuildStatus> rebuild = obey(engine, replicas);
    Map<String, ReplicaMode> modes = new TreeMap<>();
    for (Replica replica : replicas) {
      modes.put(replica.name(), mode(engine, replica));
    }
    String endpoint =
        engine.spec().disableFrontend() ? "" : "nbd://" + context.nodeName() + "/" + engine.name();
    boolean grows =
        engine.status().currentSize().bytes() == 0
            || (engine.spec().size().compareTo(engine.status().currentSize()) > 0
                && random.nextBoolean());
    status(
        engine,
        engine
            .status()
            .withCurrentState(InstanceState.RUNNING)
            .withEndpoint(endpoint)
            .withReplicaModeMap(modes)
            .withCurrentSize(grows ? engine.spec().size() : engine.status().currentSize())
            .withRebuildStatus(
                rebuild.map(s -> Map.of(engine.spec().rebuildReplica(), s)).orElse(Map.of())),
        context);
    return Result.after(Duration.ofSeconds(5));
  }

  private ReplicaMode mode(Engine engine, Replica replica) {
    String uid = DataPathWorld.identity(replica);
    if (world.members(identity(engine)).contains(uid) && world.hasData(uid)) {
      return ReplicaMode.RW;
    }
    return world.isRebuilding(identity(engine), uid) ? ReplicaMode.WO : ReplicaMode.ERR;
  }

  /** Removes replicas and rebuilds one, which fails at random. */
  private Optional<RebuildStatus> obey(Engine engine, List<Replica> replicas) {
    EngineSpec spec = engine.spec();
    for (Replica replica : replicas) {
      if (spec.removedReplicas().contains(replica.name())) {
        world.drop(identity(engine), DataPathWorld.identity(replica));
      }
    }
    Optional<String> target =
        replicas.stream()
            .filter(replica -> replica.name().equals(spec.rebuildReplica()))
            .map(DataPathWorld::identity)
            .findFirst();
    if (target.isEmpty()) {
      return Optional.empty();
    }
    if (world.members(identity(engine)).contains(target.get())) {
      return Optional.of(reported(spec, RebuildState.COMPLETE));
    }
    RebuildStatus earlier = engine.status().rebuildStatus().get(spec.rebuildReplica());
    boolean failed =
        earlier != null
            && earlier.attempt() == spec.rebuildAttempt()
            && earlier.state() == RebuildState.ERROR;
    if (failed) {
      return Optional.of(earlier);
    }
    return Optional.of(reported(spec, rebuild(identity(engine), target.get())));
  }

  private RebuildState rebuild(String engine, String target) {
    if (!world.isRebuilding(engine, target)) {
      world.beginRebuild(engine, target);
      return RebuildState.IN_PROGRESS;
    }
    return switch (random.nextInt(6)) {
      case 0 -> {
        world.endRebuild(engine, false);
        yield RebuildState.ERROR;
      }
      case 1, 2 -> RebuildState.IN_PROGRESS;
      default -> {
        world.endRebuild(engine, true);
        yield RebuildState.COMPLETE;
      }
    };
  }

  private static RebuildStatus reported(EngineSpec spec, RebuildState state) {
    return new RebuildStatus(
        spec.rebuildAttempt(), state, 0, Quantity.ZERO, Quantity.ZERO, "told to fail");
  }

  private static void release(Engine engine, ReconcileContext context) throws StorageException {
    Engine stopped = status(engine, idle(engine, InstanceState.STOPPED), context);
    context.store().update(stopped.withMetadata(stopped.metadata().minusFinalizer(FINALIZER)));
  }

  private static EngineStatus idle(Engine engine, InstanceState state) {
    return engine.status().withCurrentState(state).withEndpoint("").withReplicaModeMap(Map.of());
  }

  private static Engine status(Engine engine, EngineStatus observed, ReconcileContext context)
      throws StorageException {
    EngineStatus status =
        observed
            .withNodeID(context.nodeName())
            .withObservedGeneration(engine.metadata().generation());
    return status.equals(engine.status())
        ? engine
        : context.store().updateStatus(engine.withStatus(status));
  }
}
