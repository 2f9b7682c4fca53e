package dev.holdfast.backupstore.image;

import java.nio.ByteBuffer;
import java.util.BitSet;

/** An image in memory. */
final class ByteImage implements ImageSource {
  private final byte[] content;

  ByteImage(byte[] content) {
    this.content = content;
  }

  @Override
  public long sizeBytes() {
    return content.length;
  }

  @Override
  public BitSet dataBlocks(int blockSize) {
    BitSet blocks = new BitSet();
    for (int i = 0; i < content.length; i++) {
      if (content[i] != 0) {
        blocks.set(i / blockSize);
      }
    }
    return blocks;
  }

  @Override
  public void read(long offset, ByteBuffer target) {
    target.put(content, (int) offset, target.remaining());
  }
}
