package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** Transfers the bytes of a layer from a member to the target. For one thread. */
final class LayerTransferStream implements AutoCloseable {
  private final String image;
  private final LayerBytes target;
  private final Map<Member, LayerBytes> sources = new HashMap<>();
  private final int most;
  private ByteBuffer buffer = ByteBuffer.allocate(0);

  /**
   * Starts without a buffer.
   *
   * @param most maximum bytes per transfer
   */
  LayerTransferStream(String image, Member target, int most) {
    this.image = image;
    this.target = target.layerBytes(image);
    this.most = most;
  }

  /** Reads bytes of the source's layer. */
  void read(Member source, long offset, int length) throws StorageException {
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocateDirect(Math.min(most, Math.max(length, 2 * buffer.capacity())));
    }
    sources
        .computeIfAbsent(source, member -> member.layerBytes(image))
        .read(offset, buffer.clear().limit(length));
  }

  /** Writes the bytes to the target's layer. */
  void write(long offset) throws StorageException {
    target.write(offset, buffer.flip());
  }

  @Override
  public void close() {
    target.close();
    sources.values().forEach(LayerBytes::close);
  }
}
