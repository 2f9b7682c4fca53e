package dev.holdfast.shell.internal;

import dev.holdfast.client.Attachments;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-attach}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-attach",
    description = "Attach a volume to a node, and wait until it is served there.")
public final class VolumeAttach extends WaitingCommand {
  @Argument(name = "name", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String name;

  @Option(name = "--node", description = "Where to. Default: wherever it is, else any node.")
  @Completion(NodeNames.class)
  private String node;

  @Option(
      name = "--ttl",
      description = "Take the request back by itself after so many seconds. Default: never.")
  private Long ttl;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    Optional<Instant> end =
        Optional.ofNullable(ttl).map(seconds -> Clock.systemUTC().instant().plusSeconds(seconds));
    return volumeViews()
        .attached(new Attachments(resources).attach(name, given(node), end, waiting()));
  }
}
