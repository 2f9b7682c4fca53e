package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.node.Node;

/** The disks of this node to which an image is not, or no longer, delivered. */
final class FormerDisks {
  private final ImageTransfers transfers;
  private final ReconcileContext context;

  FormerDisks(ImageTransfers transfers, ReconcileContext context) {
    this.transfers = transfers;
    this.context = context;
  }

  /** Ends the transfers to these disks and removes their files. Returns whether all are removed. */
  boolean clear(BackingImageDataSource source) throws StorageException {
    boolean clear = true;
    for (ImageDisk disk :
        ImageDisk.all(context.get(Node.KIND, context.nodeName()).stream().toList())) {
      if (!disk.uuid().equals(source.spec().diskUUID())) {
        clear &= clear(disk, at(source, disk));
      }
    }
    return clear;
  }

  private static BackingImageDataSource at(BackingImageDataSource source, ImageDisk disk) {
    return source.withSpec(
        source.spec().withDiskUUID(disk.uuid()).withDiskPath(disk.spec().path()));
  }

  private boolean clear(ImageDisk disk, BackingImageDataSource there) throws StorageException {
    if (!transfers.stop(there) || !disk.isReady()) {
      return false;
    }
    ImageTransfers.deleteFile(there);
    return true;
  }
}
