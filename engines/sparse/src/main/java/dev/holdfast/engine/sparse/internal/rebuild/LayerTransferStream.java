package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** The bytes of a layer on their way from one member or another to the target. For one thread. */
final class LayerTransferStream implements AutoCloseable {
  private final String image;
  private final LayerBytes target;
  private final Map<Member, LayerBytes> sources = new HashMap<>();
  private final int most;
  private ByteBuffer buffer = ByteBuffer.allocate(0);

  /**
   * Starts with nothing.
   *
   * @param most bytes that are moved at once
   */
  LayerTransferStream(String image, Member target, int most) {
    this.image = image;
    this.target = target.layerBytes(image);
    this.most = most;
  }

  /** Takes bytes of the source's layer. */
  void read(Member source, long offset, int length) throws StorageException {
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocateDirect(Math.min(most, Math.max(length, 2 * buffer.capacity())));
    }
    sources
        .computeIfAbsent(source, member -> member.layerBytes(image))
        .read(offset, buffer.clear().limit(length));
  }

  /** Puts them where they belong in the target's. */
  void write(long offset) throws StorageException {
    target.write(offset, buffer.flip());
  }

  @Override
  public void close() {
    target.close();
    sources.values().forEach(LayerBytes::close);
  }
}
