package dev.holdfast.shell.internal;

import dev.holdfast.client.Attachments;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-detach}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-detach",
    description = "Take back what volume-attach asked for.")
public final class VolumeDetach extends HostCommand {
  @Argument(name = "name", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String name;

  @Option(name = "--node", description = "Only from this node. Default: all.")
  @Completion(NodeNames.class)
  private String node;

  @Option(
      name = "--force",
      description =
          "Also remove the tickets of pods and maintenance, for a node that is permanently lost.")
  private boolean force;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    mounts(resources).requireUnmounted(name);
    Attachments attachments = new Attachments(resources);
    return volumeViews()
        .detached(
            force
                ? attachments.detachAll(name, waiting())
                : attachments.detach(name, given(node), waiting()));
  }
}
