package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.ReplicaOptions;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.disk.BaseEngines;
import dev.holdfast.node.InitialContentSource;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.DiskFileStatus;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * First content of replicas on a backing image. A replica waits until the disk has a verified copy
 * with the content of the image.
 */
@Component(service = InitialContentSource.class)
public final class ImageContentSource implements InitialContentSource {
  private final InstalledPlugins plugins;

  /** Creates the source. */
  @Activate
  public ImageContentSource(@Reference InstalledPlugins plugins) {
    this.plugins = plugins;
  }

  @Override
  public boolean supplies(Volume volume) {
    // An incomplete clone gets its content, including the base, from its source. The content of a
    // backup is written above the base.
    return !volume.spec().backingImage().isEmpty()
        && (!volume.awaitsContent() || !volume.spec().fromBackup().isEmpty());
  }

  @Override
  public InitialContentState provide(
      Volume volume, Replica replica, EngineProvider engine, boolean made, ReconcileContext context)
      throws StorageException {
    String name = volume.spec().backingImage();
    // Read from the store, because a new image of the same name has different content.
    Optional<BackingImage> image = context.store().get(BackingImage.KIND, name);
    Optional<String> obstacle = ImageUse.obstacle(volume, image).map(ImageUse.Obstacle::message);
    if (obstacle.isPresent()) {
      return new InitialContentState.AwaitsImage(obstacle.get());
    }
    BaseEngines.find(plugins, engine.name(), context.nodeName());
    Optional<String> disk =
        ImageView.uuid(
            replica, context.get(Node.KIND, context.nodeName()).map(List::of).orElse(List.of()));
    if (disk.isEmpty()) {
      return new InitialContentState.AwaitsImage(
          "disk " + replica.spec().diskID() + " is not known yet");
    }
    if (image.get().stateOn(disk.get()) != ImageState.READY) {
      return new InitialContentState.AwaitsImage(progress(image.get(), disk.get()));
    }
    return provision(volume, replica, engine, image.get(), context);
  }

  private static InitialContentState provision(
      Volume volume,
      Replica replica,
      EngineProvider engine,
      BackingImage image,
      ReconcileContext context)
      throws StorageException {
    ReplicaLocation location =
        new ReplicaPlaces(
                Optional.of(engine), context.nodeName(), node -> context.get(Node.KIND, node))
            .of(replica);
    engine.provisionReplica(
        new ReplicaRequest(
            location,
            replica.spec().size().bytes(),
            new BaseContent(
                new BaseLocation(
                    image.name(),
                    image.status().uuid(),
                    location.disk(),
                    image.status().contentChecksum())),
            ReplicaOptions.of(engine, volume.name(), volume.spec().engineOptions())));
    long used = engine.inspectReplica(location).map(ReplicaInfo::usedBytes).orElse(0L);
    return new InitialContentState.Present(used, ReplicaLink.NONE);
  }

  private static String progress(BackingImage image, String disk) {
    DiskFileStatus file =
        image.status().diskFileStatusMap().getOrDefault(disk, DiskFileStatus.EMPTY);
    String ready =
        Condition.find(image.status().conditions(), Condition.READY)
            .filter(condition -> condition.status() != Condition.Status.TRUE)
            .map(condition -> ": " + condition.message())
            .orElse("");
    return "image "
        + image.name()
        + " on disk "
        + disk
        + ": "
        + file.state()
        + " "
        + file.progress()
        + " %"
        + (file.message().isEmpty() ? ready : ": " + file.message());
  }
}
