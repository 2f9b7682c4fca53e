package dev.holdfast.datapath.testkit;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.ReplicaStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Simulates the controller that provisions the replicas of a node. */
public final class FakeReplicas implements Reconciler<Replica> {
  private static final Duration RETRY = Duration.ofMillis(100);

  private final Function<String, Optional<EngineProvider>> engines;

  /**
   * Creates a controller.
   *
   * @param engines returns the installed engine of a name
   */
  public FakeReplicas(Function<String, Optional<EngineProvider>> engines) {
    this.engines = engines;
  }

  @Override
  public String name() {
    return "fake-replica";
  }

  @Override
  public ResourceKind<Replica> kind() {
    return Replica.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Replica> found =
        context
            .get(Replica.KIND, name)
            .filter(replica -> replica.spec().nodeID().equals(context.nodeName()))
            .filter(replica -> !replica.status().provisioned());
    if (found.isEmpty()) {
      return Result.DONE;
    }
    Replica replica = found.get();
    Optional<EngineProvider> engine = engines.apply(replica.spec().dataEngine());
    if (engine.isPresent()) {
      engine.get().provisionReplica(location(replica), replica.spec().size().bytes());
    }
    ReplicaStatus status =
        replica
            .status()
            .withProvisioned(engine.isPresent())
            .withConditions(
                Condition.with(
                    replica.status().conditions(),
                    Replica.PROVISIONED_CONDITION,
                    engine.isPresent() ? Condition.Status.TRUE : Condition.Status.FALSE,
                    engine.isPresent() ? Replica.PROVISIONED_CONDITION : "NotInstalled",
                    "",
                    context.clock().instant()));
    if (!status.equals(replica.status())) {
      context.store().updateStatus(replica.withStatus(status));
    }
    return engine.isPresent() ? Result.DONE : Result.after(RETRY);
  }

  private static ReplicaLocation location(Replica replica) {
    ReplicaSpec spec = replica.spec();
    return new ReplicaLocation(
        spec.volume(),
        replica.name(),
        spec.nodeID(),
        Path.of(spec.diskPath()),
        spec.dataDirectoryName(),
        spec.witness());
  }
}
