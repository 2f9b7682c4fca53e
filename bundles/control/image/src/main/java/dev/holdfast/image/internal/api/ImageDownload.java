package dev.holdfast.image.internal.api;

import dev.holdfast.diskimage.Qcow2Layout;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ClusterFilter;
import dev.holdfast.image.internal.content.ContentSink;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.image.internal.content.RangeSource;
import dev.holdfast.resource.image.BackingImage;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/**
 * An image in one format, of which any range can be written.
 *
 * @param size in bytes
 * @param tag strong entity tag: files of the same tag are equal
 * @param content writes ranges of it
 */
record ImageDownload(long size, String tag, RangeSource content) {
  /** The content itself. */
  static ImageDownload raw(BackingImage image, ImageContent content) {
    return new ImageDownload(
        image.status().virtualSize().bytes(),
        "\"" + image.status().contentChecksum() + "\"",
        content);
  }

  /** The content as qcow2, without the clusters that a copy does not store. */
  static ImageDownload qcow2(BackingImage image, ImageContent content) throws StorageException {
    long size = image.status().virtualSize().bytes();
    BitSet data = content.dataClusters(size, Qcow2Layout.CLUSTER);
    Qcow2Layout layout = new Qcow2Layout(size, data);
    // Copies may store different clusters, so their qcow2 files may differ.
    String stored = Integer.toHexString(Arrays.hashCode(data.toLongArray()));
    return new ImageDownload(
        layout.length(),
        "\"qcow2:" + stored + ":" + image.status().contentChecksum() + "\"",
        (offset, length, sink) -> {
          Data found = new Data(sink);
          layout.write(offset, length, found);
          found.copy(content, data, size);
        });
  }

  /** Writes tables directly, and records the part of the disk that follows them. */
  private static final class Data implements Qcow2Layout.Output {
    private final ContentSink sink;
    private long start = -1;
    private long end;

    Data(ContentSink sink) {
      this.sink = sink;
    }

    @Override
    public void table(ByteBuffer bytes) throws StorageException {
      sink.data(bytes);
    }

    @Override
    public void disk(long offset, long length) {
      start = start < 0 ? offset : start;
      end = offset + length;
    }

    /** Reads the part with one call, in which holes cost nothing. */
    void copy(ImageContent content, BitSet data, long size) throws StorageException {
      long inside = Math.min(end, size);
      if (start >= 0 && inside > start) {
        content.copyTo(
            start, inside - start, new ClusterFilter(data, Qcow2Layout.CLUSTER, start, sink));
      }
      long behind = end - Math.max(size, start);
      if (start >= 0 && behind > 0) {
        sink.zeroes(behind);
      }
    }
  }

  void write(ByteRange range, BodySink sink) throws StorageException {
    content.copyTo(range.offset(), range.length(), sink);
  }
}
