package dev.holdfast.image.internal.exchange;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.image.internal.content.StoredContent;
import dev.holdfast.image.internal.disk.BaseEngines;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.node.Node;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The content of images for readers on this node, from copies on any node. Thread-safe. */
public final class ImageContents {
  private final ResourceStore store;
  private final InstalledPlugins plugins;
  private final PeerNodes nodes;
  private final NodeChannels channels;

  /** Creates an object that reads the copies from the store. */
  public ImageContents(
      ResourceStore store, InstalledPlugins plugins, PeerNodes nodes, NodeChannels channels) {
    this.store = store;
    this.plugins = plugins;
    this.nodes = nodes;
    this.channels = channels;
  }

  /**
   * Returns the content of an image; a copy of this node is read first.
   *
   * @throws StorageException BUSY while no copy can be read
   */
  public ImageContent of(BackingImage image) throws StorageException {
    Map<String, Node> known = new HashMap<>();
    store.list(Node.KIND, LabelSelector.ALL).items().forEach(node -> known.put(node.name(), node));
    ReadyCopies ready = new ReadyCopies(name -> Optional.ofNullable(known.get(name)));
    String checksum = image.status().contentChecksum();
    List<BackingImageManager> copies =
        ready
            .of(
                store.list(BackingImageManager.KIND, LabelSelector.ALL).items(),
                image.name(),
                image.status().uuid(),
                checksum)
            .stream()
            .sorted(
                Comparator.comparing((BackingImageManager copy) -> !isHere(copy))
                    .thenComparing(BackingImageManager::name))
            .toList();
    if (copies.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "image " + image.name() + " has no copy that can be read now" + why(image));
    }
    String reader = "reader-" + UUID.randomUUID();
    List<ImageContent> contents = new ArrayList<>();
    for (BackingImageManager copy : copies) {
      contents.add(content(image, copy, ready.disk(copy).orElseThrow(), reader));
    }
    return new AnyCopy(contents);
  }

  private static String why(BackingImage image) {
    return Condition.find(image.status().conditions(), Condition.READY)
        .map(Condition::message)
        .filter(message -> !message.isEmpty())
        .map(message -> ": " + message)
        .orElse(": look at it with 'holdfast image get'");
  }

  private boolean isHere(BackingImageManager copy) {
    return copy.spec().nodeID().equals(nodes.self());
  }

  private ImageContent content(
      BackingImage image, BackingImageManager copy, ImageDisk disk, String reader)
      throws StorageException {
    BaseLocation base =
        disk.base(
            image.name(), image.status().uuid(), nodes.self(), image.status().contentChecksum());
    if (isHere(copy)) {
      BaseEngine engine = BaseEngines.find(plugins, image.spec().dataEngine(), nodes.self());
      return new StoredContent(engine, base);
    }
    String node = copy.spec().nodeID();
    return new RemoteContent(channels.channel(node), node, copy.spec().diskUUID(), base, reader);
  }
}
