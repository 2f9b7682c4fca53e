package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The device over a chain of layers. The snapshot below contains allocated zeroes. */
class ChainedDeviceTest extends BlockDeviceKit {
  private static final String SNAPSHOT = "volume-snap-old.img";

  @TempDir private Path disk;
  private final List<SparseEngine> engines = new ArrayList<>();

  @Override
  protected BlockDevice create(long size) throws Exception {
    SparseEngine engine = new SparseEngine();
    engines.add(engine);
    ReplicaLocation replica = new ReplicaLocation("v", "v-r-1", "n", disk, "v-1");
    engine.provisionReplica(replica, size);
    addSnapshot(replica.directory(), size);
    return engine
        .open(
            new OpenRequest(
                "v", size, "n", List.of(replica), new InMemoryRegister(), new RecordingListener()))
        .device();
  }

  private static void addSnapshot(Path directory, long size) throws Exception {
    ReplicaDirectory files = new LocalReplicaDirectory(directory);
    try (RandomAccessFile image =
        new RandomAccessFile(directory.resolve(SNAPSHOT).toFile(), "rw")) {
      image.setLength(size);
      for (long at = 0; at < size - 100_000; at += 300_000) {
        image.seek(at);
        image.write(new byte[100_000]);
      }
    }
    Files.copy(
        directory.resolve(LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD)),
        directory.resolve(LonghornLayout.metaOf(SNAPSHOT)));
    files.store(
        LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD),
        ("{\"Name\":\"" + LonghornLayout.FIRST_HEAD + "\",\"Parent\":\"" + SNAPSHOT + "\"}")
            .getBytes(StandardCharsets.US_ASCII));
  }

  @AfterEach
  void stop() {
    engines.forEach(SparseEngine::stop);
  }
}
