package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Bits that change on a disk without a write. */
final class RottenLayer {
  private RottenLayer() {}

  static void flip(ReplicaLocation replica, String snapshot, long offset) throws IOException {
    Path file = replica.directory().resolve(LonghornLayout.imageOf(snapshot));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      if (channel.read(one, offset) != 1) {
        throw new IOException(file + " ends before " + offset);
      }
      one.put(0, (byte) (one.get(0) ^ 1 << 3)).flip();
      channel.write(one, offset);
    }
  }
}
