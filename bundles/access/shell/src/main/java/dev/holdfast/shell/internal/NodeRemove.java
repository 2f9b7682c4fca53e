package dev.holdfast.shell.internal;

import dev.holdfast.client.NodeMembers;
import dev.holdfast.commands.MemberViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:node-remove}. */
@Service
@Command(scope = "holdfast", name = "node-remove", description = "Take a node out of the cluster.")
public final class NodeRemove extends ClusterCommand {
  @Argument(name = "name", description = "The node.", required = true)
  @Completion(NodeNames.class)
  private String name;

  @Option(name = "--force", description = "Lose the replicas and attachments that it has.")
  private boolean force;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return new MemberViews()
        .removed(inCluster(cluster -> new NodeMembers(resources, cluster).remove(name, force)));
  }
}
