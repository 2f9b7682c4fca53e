package dev.holdfast.image.internal.source;

import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.exchange.ImageContents;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.SourceDisk;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The images of the cluster for readers outside a delivery, such as backups. Thread-safe. */
@Component(service = ClusterDisks.class)
public final class ImageDisks implements ClusterDisks {
  private final InstalledPlugins plugins;
  private final AttachedVolumes volumes;
  private final PeerNodes nodes;
  private final NodeChannels channels;

  /** Creates the service, which reads through services of this node. */
  @Activate
  public ImageDisks(
      @Reference InstalledPlugins plugins,
      @Reference AttachedVolumes volumes,
      @Reference PeerNodes nodes,
      @Reference NodeChannels channels) {
    this.plugins = plugins;
    this.volumes = volumes;
    this.nodes = nodes;
    this.channels = channels;
  }

  /** Refuses each volume, because only a delivery prepares volumes. */
  @Override
  public SourceDisk volume(String volume, String snapshot) throws StorageException {
    return disks().volume(volume, snapshot);
  }

  @Override
  public SourceDisk image(String image) throws StorageException {
    return disks().image(image);
  }

  private DeliveryDisks disks() throws StorageException {
    ResourceStore store = volumes.store();
    ImageContents images = new ImageContents(store, plugins, nodes, channels);
    return new DeliveryDisks(store, images, volumes, Optional.empty());
  }
}
