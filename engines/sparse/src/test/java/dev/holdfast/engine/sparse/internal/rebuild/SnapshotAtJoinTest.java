package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A snapshot is taken after a rebuild listed the members' layers and before the join snapshot. The
 * layer made from the target's head then has no parent at the target, but has that snapshot as its
 * parent at the members.
 */
@Timeout(60)
class SnapshotAtJoinTest {
  private static final int BLOCK = 4096;

  @TempDir private Path disks;
  private final AtomicReference<OpenVolume> open = new AtomicReference<>();
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 2, this::watched);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  /** Takes a snapshot when the second replica records that it is being rebuilt. */
  private ReplicaDirectory watched(Path path, ReplicaDirectory directory) {
    if (!path.startsWith(disks.resolve("d2"))) {
      return directory;
    }
    return (ReplicaDirectory)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaDirectory.class},
            (proxy, method, arguments) -> call(directory, method, arguments));
  }

  private Object call(ReplicaDirectory directory, Method method, Object[] arguments)
      throws Throwable {
    if (method.getName().equals("store")
        && new String((byte[]) arguments[1], StandardCharsets.UTF_8)
            .contains("\"Rebuilding\":true")) {
      OpenVolume volume = open.getAndSet(null);
      if (volume != null) {
        ((SnapshotVolume) volume)
            .createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of()));
      }
    }
    try {
      return method.invoke(directory, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void zeroesInTheTargetDoNotHideTheSnapshot() throws Exception {
    try (OpenVolume volume = node.open()) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, OneNode.filled(BLOCK, 1));
      io.write(0, new byte[BLOCK]);
    }
    try (OpenVolume volume = node.open(node.replicas().subList(0, 1))) {
      new DeviceIo(volume.device()).write(0, OneNode.filled(BLOCK, 2));
      open.set(volume);
      node.rebuild(volume, node.replica(2));
      assertThat(open.get()).as("whether the snapshot was taken").isNull();
    }
    try (OpenVolume volume = node.open(node.replicas().subList(1, 2))) {
      assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 2));
    }
  }
}
