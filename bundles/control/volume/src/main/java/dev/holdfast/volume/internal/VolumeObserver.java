package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;

/**
 * Observations of a volume's parts. The status of an engine counts only if it refers to the present
 * spec, because its node may still act on an earlier one.
 */
final class VolumeObserver {
  private VolumeObserver() {}

  static VolumeStateTable.Parts observe(VolumeView view) {
    return new VolumeStateTable.Parts(isMade(view), isOpened(view), isClosed(view));
  }

  private static boolean isMade(VolumeView view) {
    if (view.volume().isBeingDeleted()) {
      return true;
    }
    return view.engine().isPresent()
        && view.attachment().isPresent()
        && view.usableCopies().size() >= view.wantedCopies()
        && view.usable().stream().anyMatch(r -> r.spec().witness()) == view.wantsWitness()
        && view.usable().stream().allMatch(replica -> replica.status().provisioned())
        && view.usable().stream().allMatch(new CloneTopology(view.volume())::isMadeRight);
  }

  static boolean isInSync(Engine engine) {
    return engine.status().observedGeneration() == engine.metadata().generation();
  }

  /** Returns whether the engine runs on a node with its present spec. */
  static boolean runsOn(VolumeView view, String node) {
    return view.engine()
        .filter(VolumeObserver::isInSync)
        .filter(e -> e.spec().desireState() == DesireState.RUNNING)
        .filter(e -> e.spec().nodeID().equals(node) && e.status().nodeID().equals(node))
        .filter(e -> e.status().currentState() == InstanceState.RUNNING)
        .isPresent();
  }

  private static boolean isOpened(VolumeView view) {
    String node = view.volume().spec().nodeID();
    return !node.isEmpty()
        && runsOn(view, node)
        && view.engine()
            .filter(e -> e.spec().disableFrontend() || !e.status().endpoint().isEmpty())
            .isPresent()
        && view.usableCopies().stream()
            .anyMatch(r -> r.status().currentState() == InstanceState.RUNNING);
  }

  /**
   * Returns whether the engine is closed on all nodes and cannot be opened because of an earlier
   * spec. Before an opening, a node takes the engine's finalizer by a compare-and-set on the spec
   * that names the node. Without the finalizer the engine is closed, and nodes cannot act on an
   * earlier spec.
   */
  static boolean isEngineClosed(VolumeView view) {
    return view.engine()
        .filter(
            e ->
                e.spec().desireState() == DesireState.RUNNING
                    || !isStopped(e)
                    || Migration.isForwardedTo(e, view))
        .isEmpty();
  }

  private static boolean isStopped(Engine engine) {
    boolean acknowledged = isInSync(engine) || !engine.metadata().hasFinalizer(Engine.FINALIZER);
    return engine.status().currentState() == InstanceState.STOPPED && acknowledged;
  }

  private static boolean isClosed(VolumeView view) {
    return isEngineClosed(view)
        && view.replicas().stream().allMatch(replica -> isClosed(replica, view));
  }

  /**
   * Returns whether a replica is closed. On an unreachable node the declared fencing ensures this:
   * the replica or the disk's lock rejects an engine that may still run there.
   */
  private static boolean isClosed(Replica replica, VolumeView view) {
    return replica.spec().desireState() == DesireState.STOPPED
        && switch (replica.status().currentState()) {
          case STOPPED, ERROR -> true;
          case STARTING, RUNNING, STOPPING, UNKNOWN -> view.nodes().isFencedFromSilentNode(replica);
        };
  }

  /** Returns whether at least one replica is ready and all obtainable replicas are. */
  static boolean replicasReady(VolumeView view) {
    boolean oneRuns =
        view.usableCopies().stream()
            .anyMatch(r -> r.status().currentState() == InstanceState.RUNNING);
    return oneRuns
        && view.usable().stream()
            .allMatch(
                replica ->
                    switch (replica.status().currentState()) {
                      case RUNNING, ERROR -> true;
                      case STOPPED, STARTING, STOPPING, UNKNOWN ->
                          !view.isReady(replica.ownerNode());
                    });
  }
}
