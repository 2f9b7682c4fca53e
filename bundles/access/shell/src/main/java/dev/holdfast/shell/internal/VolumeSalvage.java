package dev.holdfast.shell.internal;

import dev.holdfast.client.Volumes;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-salvage}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-salvage",
    description =
        "Declare whose content counts for a volume that cannot be opened otherwise; writes that"
            + " only other replicas hold are lost.")
public final class VolumeSalvage extends HostCommand {
  @Argument(name = "name", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String name;

  @Option(
      name = "--replica",
      description = "A replica whose content is the volume's; may be given several times.",
      required = true,
      multiValued = true)
  private List<String> replicas;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return volumeViews().salvaging(new Volumes(resources).salvage(name, replicas));
  }
}
