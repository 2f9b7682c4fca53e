package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What a replica's files say that the volume holds, without the engine. */
final class SimulatedContent {
  private SimulatedContent() {}

  static byte[] of(SimulatedDisk disk, long position) {
    try {
      return of(disk.directory(), position);
    } catch (IOException | StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] of(ReplicaDirectory directory, long position)
      throws IOException, StorageException {
    String image = LonghornLayout.volumeMeta(directory).orElseThrow().head();
    while (!image.isEmpty()) {
      ReplicaFile file = directory.open(image);
      if (file.nextData(position) == position) {
        ByteBuffer content = ByteBuffer.allocate(SimulatedClients.BLOCK);
        file.read(content, position);
        return content.array();
      }
      image = LonghornLayout.layerMeta(directory, image).parent();
    }
    return new byte[SimulatedClients.BLOCK];
  }
}
