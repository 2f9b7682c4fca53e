package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads the content of the volume from a replica's files, without the engine. */
final class SimulatedContent {
  private SimulatedContent() {}

  static byte[] of(SimulatedDisk disk, long position) {
    return of(disk, "", position);
  }

  /** Returns the content of a snapshot. */
  static byte[] of(SimulatedDisk disk, String snapshot, long position) {
    try {
      ReplicaDirectory directory = disk.directory();
      String head = LonghornLayout.volumeMeta(directory).orElseThrow().head();
      String top = snapshot.isEmpty() ? head : LonghornLayout.imageOf(snapshot);
      return read(disk, directory, top, position);
    } catch (IOException | StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  static long size(SimulatedDisk disk) {
    try {
      return LonghornLayout.volumeMeta(disk.directory()).orElseThrow().size();
    } catch (IOException | StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] read(
      SimulatedDisk disk, ReplicaDirectory directory, String from, long position)
      throws IOException, StorageException {
    String image = from;
    while (!image.isEmpty()) {
      ReplicaFile file = directory.open(image);
      if (position < file.size() && file.nextData(position) == position) {
        ByteBuffer content = ByteBuffer.allocate(SimulatedClients.BLOCK);
        file.read(content, position);
        return content.array();
      }
      image = LonghornLayout.layerMeta(directory, image).parent();
    }
    return SimulatedImage.read(disk, position);
  }
}
