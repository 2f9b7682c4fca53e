package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One member has no room for an operation, and the other one's disk fails in it. */
@Timeout(60)
class RefusedAndFailedTest {
  @TempDir Path disks;
  private volatile boolean failing;

  private ReplicaDirectory around(Path path, ReplicaDirectory directory) {
    return (ReplicaDirectory)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaDirectory.class},
            (proxy, method, arguments) -> {
              if (failing && method.getName().equals("create") && path.startsWith(second())) {
                throw new IOException("Input/output error");
              }
              try {
                return method.invoke(directory, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Path second() {
    return disks.resolve("d2");
  }

  @Test
  void theVolumeGoesOnWithTheOneThatRefused() throws Exception {
    byte[] content = OneNode.filled(4096, 1);
    try (OneNode node = new OneNode(disks, 2, this::around);
        OpenVolume volume = node.open()) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, content);
      failing = true;
      node.fill(1, true);
      StorageException why =
          catchThrowableOfType(
              StorageException.class,
              () ->
                  ((SnapshotVolume) volume)
                      .createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of())));
      assertThat(why.code()).isEqualTo(ErrorCode.NO_SPACE);
      node.fill(1, false);
      io.write(4096, content);
      assertThat(io.read(0, 4096)).isEqualTo(content);
      assertThat(volume.replicas())
          .containsEntry("r-1", ReplicaMode.RW)
          .containsEntry("r-2", ReplicaMode.ERR);
      assertThat(((SnapshotVolume) volume).snapshots()).isEmpty();
      assertThat(node.register().read().pendingOperation()).isEmpty();
    }
  }
}
