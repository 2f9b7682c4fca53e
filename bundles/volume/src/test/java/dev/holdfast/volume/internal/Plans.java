package dev.holdfast.volume.internal;

import dev.holdfast.resource.DesireState;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.InstanceState;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.VolumeStatus;
import java.util.List;
import java.util.Optional;

/** Plans with something changed, for planted defects. */
final class Plans {
  private Plans() {}

  static VolumePlan withEngine(VolumePlan plan, Engine engine) {
    return new VolumePlan(
        plan.newAttachment(),
        plan.newReplicas(),
        plan.newEngine(),
        plan.replicas(),
        Optional.of(engine),
        plan.status(),
        plan.disposal());
  }

  static VolumePlan withStatus(VolumePlan plan, VolumeStatus status) {
    return new VolumePlan(
        plan.newAttachment(),
        plan.newReplicas(),
        plan.newEngine(),
        plan.replicas(),
        plan.engine(),
        status,
        plan.disposal());
  }

  static VolumePlan withReplicasStopped(VolumePlan plan, List<Replica> replicas) {
    List<Replica> stopped =
        replicas.stream()
            .filter(replica -> replica.spec().desireState() == DesireState.RUNNING)
            .map(replica -> replica.withSpec(replica.spec().withDesireState(DesireState.STOPPED)))
            .toList();
    return new VolumePlan(
        plan.newAttachment(),
        plan.newReplicas(),
        plan.newEngine(),
        stopped,
        plan.engine(),
        plan.status(),
        plan.disposal());
  }

  static Engine asStopped(Engine engine) {
    return engine.withStatus(
        engine
            .status()
            .withCurrentState(InstanceState.STOPPED)
            .withObservedGeneration(engine.metadata().generation()));
  }

  static VolumeView withEngine(VolumeView view, Optional<Engine> engine) {
    return engine.isEmpty()
        ? view
        : new VolumeView(
            view.volume(),
            engine,
            view.replicas(),
            view.attachment(),
            view.nodes(),
            view.allReplicas(),
            view.settings(),
            view.now());
  }
}
