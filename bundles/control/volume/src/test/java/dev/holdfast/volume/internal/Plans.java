package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import java.util.List;

/** Changed plans for planted defects. */
final class Plans {
  private Plans() {}

  static VolumePlan withReplicasStopped(VolumePlan plan, List<Replica> replicas) {
    List<Replica> stopped =
        replicas.stream()
            .filter(replica -> replica.spec().desireState() == DesireState.RUNNING)
            .map(replica -> replica.withSpec(replica.spec().withDesireState(DesireState.STOPPED)))
            .toList();
    return plan.withReplicas(stopped);
  }

  static Engine asStopped(Engine engine) {
    return engine.withStatus(
        engine
            .status()
            .withCurrentState(InstanceState.STOPPED)
            .withObservedGeneration(engine.metadata().generation()));
  }
}
