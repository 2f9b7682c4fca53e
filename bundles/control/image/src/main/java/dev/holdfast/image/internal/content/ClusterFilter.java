package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Forwards only the content of selected clusters of a disk. */
public final class ClusterFilter implements ContentSink {
  private final BitSet chosen;
  private final int cluster;
  private final ContentSink sink;
  private long at;

  /**
   * Creates a filter for content that begins within a disk.
   *
   * @param chosen clusters that are forwarded
   * @param cluster bytes of a cluster
   * @param at offset on the disk at which the content begins
   * @param sink receives the forwarded content
   */
  public ClusterFilter(BitSet chosen, int cluster, long at, ContentSink sink) {
    this.chosen = chosen;
    this.cluster = cluster;
    this.at = at;
    this.sink = sink;
  }

  @Override
  public void data(ByteBuffer bytes) throws StorageException {
    while (bytes.hasRemaining()) {
      int count = (int) step(bytes.remaining());
      if (isChosen()) {
        sink.data(bytes.slice(bytes.position(), count));
      }
      bytes.position(bytes.position() + count);
      at += count;
    }
  }

  @Override
  public void zeroes(long length) throws StorageException {
    for (long left = length; left > 0; ) {
      long count = step(left);
      if (isChosen()) {
        sink.zeroes(count);
      }
      left -= count;
      at += count;
    }
  }

  private boolean isChosen() {
    return chosen.get((int) (at / cluster));
  }

  /** Returns the number of bytes that are treated like the next one. */
  private long step(long most) {
    int index = (int) (at / cluster);
    int end = chosen.get(index) ? chosen.nextClearBit(index) : chosen.nextSetBit(index);
    return end < 0 ? most : Math.min(most, (long) end * cluster - at);
  }
}
