package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.image.internal.content.StoredContent;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.exchange.ReadyCopies;
import dev.holdfast.image.internal.exchange.RemoteContent;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.store.LabelSelector;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Verified copies of an image from which a disk of this node can copy it. */
final class ImageCopySource {
  private final BackingImageManager receiver;
  private final NodeChannels channels;
  private final ReconcileContext context;
  private final ReadyCopies ready;

  ImageCopySource(BackingImageManager receiver, NodeChannels channels, ReconcileContext context) {
    this.receiver = receiver;
    this.channels = channels;
    this.context = context;
    this.ready = new ReadyCopies(node -> context.get(Node.KIND, node));
  }

  /**
   * Chooses the copy to read: first one of this node, then one of the node with the fewest
   * receivers. After a failure the next copy is chosen.
   *
   * @param failures number of failed attempts
   */
  Optional<BackingImageManager> choose(BaseLocation base, int failures) {
    List<BackingImageManager> managers = context.list(BackingImageManager.KIND, LabelSelector.ALL);
    List<BackingImageManager> good =
        ready.of(managers, base.image(), base.uuid(), base.contentChecksum()).stream()
            .filter(other -> !other.name().equals(receiver.name()))
            .sorted(
                Comparator.comparing((BackingImageManager other) -> !isHere(other))
                    .thenComparing(other -> receivers(other, base, managers))
                    .thenComparing(BackingImageManager::name))
            .toList();
    return good.isEmpty() ? Optional.empty() : Optional.of(good.get(failures % good.size()));
  }

  private boolean isHere(BackingImageManager other) {
    return other.spec().nodeID().equals(context.nodeName());
  }

  private static long receivers(
      BackingImageManager sender, BaseLocation base, List<BackingImageManager> managers) {
    return managers.stream()
        .map(manager -> manager.status().backingImageFileMap().get(base.image()))
        .filter(file -> file != null && file.state() == ImageState.IN_PROGRESS)
        .filter(file -> file.sender().equals(sender.spec().nodeID()))
        .count();
  }

  /** Returns the content of a copy. */
  ImageContent content(BackingImageManager sender, BaseEngine engine, BaseLocation base)
      throws StorageException {
    String disk = sender.spec().diskUUID();
    if (!isHere(sender)) {
      String node = sender.spec().nodeID();
      return new RemoteContent(
          channels.channel(node), node, disk, base, receiver.spec().diskUUID());
    }
    ImageDisk found =
        ready
            .disk(sender)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.UNREACHABLE, "disk " + disk + " cannot be used now"));
    return new StoredContent(
        engine, found.base(base.image(), base.uuid(), context.nodeName(), base.contentChecksum()));
  }
}
