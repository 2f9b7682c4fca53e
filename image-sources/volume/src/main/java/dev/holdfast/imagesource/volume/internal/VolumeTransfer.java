package dev.holdfast.imagesource.volume.internal;

import dev.holdfast.diskimage.Qcow2Layout;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Copies a snapshot of a volume. */
final class VolumeTransfer implements ImageTransfer {
  private final ImageRequest request;
  private final boolean qcow2;
  private volatile boolean closed;

  VolumeTransfer(ImageRequest request, boolean qcow2) {
    this.request = request;
    this.qcow2 = qcow2;
  }

  @Override
  public void run(ImageSink sink) throws StorageException {
    sink.restart(Optional.empty());
    try (SourceDisk disk =
        request
            .disks()
            .volume(
                request.parameters().getOrDefault(ClusterDisks.VOLUME_PARAMETER, ""),
                request.parameters().getOrDefault(ClusterDisks.SNAPSHOT_PARAMETER, ""))) {
      if (qcow2) {
        Qcow2Layout layout = new Qcow2Layout(disk.size(), disk.dataClusters(Qcow2Layout.CLUSTER));
        sink.total(layout.length());
        layout.write(0, layout.length(), new Qcow2File(disk, sink));
      } else {
        sink.takeAsDisk();
        sink.total(disk.size());
        disk.copy(0, disk.size(), new Content(sink));
      }
    }
  }

  /** Passes content on until the transfer is closed. */
  private final class Content implements SourceDisk.Target {
    private final ImageSink sink;

    Content(ImageSink sink) {
      this.sink = sink;
    }

    @Override
    public void data(ByteBuffer bytes) throws StorageException {
      requireOpen();
      sink.write(bytes);
    }

    @Override
    public void zeroes(long length) throws StorageException {
      requireOpen();
      sink.zeroes(length);
    }
  }

  private void requireOpen() throws StorageException {
    if (closed) {
      throw new StorageException(
          ErrorCode.TIMEOUT, "image " + request.image() + ": the export was ended");
    }
  }

  /** Writes tables and clusters of the disk. */
  private final class Qcow2File implements Qcow2Layout.Output {
    private final SourceDisk disk;
    private final Content content;

    Qcow2File(SourceDisk disk, ImageSink sink) {
      this.disk = disk;
      this.content = new Content(sink);
    }

    @Override
    public void table(ByteBuffer bytes) throws StorageException {
      content.data(bytes);
    }

    @Override
    public void disk(long offset, long length) throws StorageException {
      long inside = Math.max(0, Math.min(length, disk.size() - offset));
      if (inside > 0) {
        disk.copy(offset, inside, content);
      }
      if (length > inside) {
        content.zeroes(length - inside);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
