package dev.holdfast.shell.internal;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.health.HealthReport;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;

/**
 * The services of the node for a command.
 *
 * @param store of the node
 * @param initiators present initiators
 * @param targets present kinds of backup targets
 * @param cluster membership of the cluster; empty on a node that has joined another one
 * @param health health of the cluster; empty while the bundle is absent
 */
record ShellServices(
    ResourceStore store,
    List<InitiatorProvider> initiators,
    List<BackupTargetProvider> targets,
    Optional<ClusterAccess> cluster,
    Optional<HealthReport> health) {
  ShellServices {
    initiators = List.copyOf(initiators);
    targets = List.copyOf(targets);
  }
}
