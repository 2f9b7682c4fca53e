package dev.holdfast.shell.internal;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.health.HealthReport;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;

/**
 * The services of the node that a command works with.
 *
 * @param store of the node
 * @param initiators that are there
 * @param targets kinds of backup targets that are there
 * @param cluster what decides on members; empty on a node that has joined another one
 * @param health what is wrong in the cluster; empty while the bundle is absent
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
