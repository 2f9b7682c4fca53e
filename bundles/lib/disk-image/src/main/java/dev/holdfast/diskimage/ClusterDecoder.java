package dev.holdfast.diskimage;

import com.github.luben.zstd.Zstd;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Unpacks compressed clusters. Unpacked data never exceeds one cluster. */
final class ClusterDecoder implements AutoCloseable {
  private final ImageBytes bytes;
  private final Qcow2Header header;
  private final Inflater inflater = new Inflater(true);
  private ByteBuffer packed = ByteBuffer.allocateDirect(0);
  private ByteBuffer cluster = ByteBuffer.allocateDirect(0);
  private long decoded;

  ClusterDecoder(ImageBytes bytes, Qcow2Header header) {
    this.bytes = bytes;
    this.header = header;
  }

  /** Returns the bytes of a cluster, valid until the next call. */
  ByteBuffer decode(Qcow2Entry entry) throws StorageException {
    if (decoded == entry.offset()) {
      return cluster;
    }
    decoded = 0;
    int size = (int) header.clusterSize();
    if (cluster.capacity() == 0) {
      cluster = ByteBuffer.allocateDirect(size);
      packed = ByteBuffer.allocateDirect(2 * size + 1024);
    }
    packed.clear().limit((int) entry.length());
    bytes.read(entry.offset(), packed);
    packed.flip();
    cluster.clear();
    switch (header.compression()) {
      case DEFLATE -> inflate();
      case ZSTD -> unpackZstd();
    }
    if (cluster.hasRemaining()) {
      throw damaged("it has " + cluster.position() + " bytes instead of " + size, null);
    }
    cluster.flip();
    decoded = entry.offset();
    return cluster;
  }

  private void inflate() throws StorageException {
    inflater.reset();
    inflater.setInput(packed);
    try {
      int count = 1;
      while (cluster.hasRemaining() && count > 0) {
        count = inflater.inflate(cluster);
      }
    } catch (DataFormatException e) {
      throw damaged(String.valueOf(e.getMessage()), e);
    }
  }

  private void unpackZstd() throws StorageException {
    int length = ZstdFrame.length(packed);
    if (length < 0) {
      throw damaged("not a zstd frame", null);
    }
    long count = Zstd.decompressDirectByteBuffer(cluster, 0, cluster.capacity(), packed, 0, length);
    if (Zstd.isError(count)) {
      throw damaged(Zstd.getErrorName(count), null);
    }
    cluster.position((int) count);
  }

  private StorageException damaged(String why, Throwable cause) {
    StorageException refusal =
        DiskImages.refused(bytes.name(), "a packed cluster cannot be unpacked: " + why);
    return cause == null
        ? refusal
        : new StorageException(refusal.code(), refusal.getMessage(), cause);
  }

  @Override
  public void close() {
    inflater.end();
  }
}
