package dev.holdfast.shell.internal;

import dev.holdfast.commands.MemberViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:node-add}. */
@Service
@Command(
    scope = "holdfast",
    name = "node-add",
    description = "Print the command by which another machine joins.")
public final class NodeAdd extends ClusterCommand {

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return new MemberViews()
        .joinCommand(inCluster(cluster -> cluster.newToken(Duration.ofHours(1))), server());
  }
}
