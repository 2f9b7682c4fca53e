package dev.holdfast.shell.internal;

import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Volumes;
import dev.holdfast.client.Waiting;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-create}. */
@Service
@Command(scope = "holdfast", name = "volume-create", description = "Make a volume.")
public final class VolumeCreate extends StoreCommand {
  private static final int NOT_GIVEN = -1;

  @Argument(name = "name", description = "The volume's name.", required = true)
  private String name;

  @Option(
      name = "--size",
      description = "Size of the device, for example 1Gi; rounded up to a multiple of 4Ki.",
      required = true)
  private String size;

  @Option(name = "--replicas", description = "How many copies. Default: 3.")
  private int replicas = NOT_GIVEN;

  @Option(name = "--engine", description = "What keeps its bytes. Default: sparse.")
  private String engine;

  @Option(name = "--frontend", description = "How hosts reach it. Default: nbd.")
  private String frontend;

  @Option(name = "--wait", description = "Wait until its replicas are made.")
  private boolean wait;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    VolumeRequest request =
        new VolumeRequest(
            name,
            size,
            replicas == NOT_GIVEN ? OptionalInt.empty() : OptionalInt.of(replicas),
            given(engine),
            given(frontend));
    Waiting waiting = wait ? Waiting.upTo(Waiting.DEFAULT_TIMEOUT) : Waiting.none();
    Volumes volumes = new Volumes(resources);
    Volume created = volumes.create(request, waiting);
    return volumeViews()
        .created(created, size, wait ? Optional.empty() : volumes.placementProblem(created));
  }
}
