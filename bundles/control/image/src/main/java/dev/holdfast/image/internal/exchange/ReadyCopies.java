package dev.holdfast.image.internal.exchange;

import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.Node;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Finds the copies of an image that are verified, have its content, and can be read now. */
public final class ReadyCopies {
  private final Function<String, Optional<Node>> nodes;

  /** Finds nodes by name. */
  public ReadyCopies(Function<String, Optional<Node>> nodes) {
    this.nodes = nodes;
  }

  /**
   * Returns the managers of the disks with a copy.
   *
   * @param uuid of the image
   * @param checksum of its content; while it is unknown, no copy is ready
   */
  public List<BackingImageManager> of(
      List<BackingImageManager> managers, String image, String uuid, String checksum) {
    return managers.stream()
        .filter(
            manager -> {
              ImageFile file = manager.status().backingImageFileMap().get(image);
              return file != null
                  && file.state() == ImageState.READY
                  && file.uuid().equals(uuid)
                  && !checksum.isEmpty()
                  && file.contentChecksum().equals(checksum)
                  && disk(manager).filter(ImageDisk::isReady).isPresent();
            })
        .toList();
  }

  /** Returns the disk of a manager. */
  public Optional<ImageDisk> disk(BackingImageManager manager) {
    return nodes
        .apply(manager.spec().nodeID())
        .flatMap(node -> ImageDisk.find(node, manager.spec().diskUUID()));
  }
}
