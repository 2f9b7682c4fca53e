package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A member fails after its layers were listed and before it made the join snapshot. A rebuild that
 * treated its layers as those of the volume would discard the layer made from the target's head.
 */
@Timeout(120)
class SourceFailsAtJoinTest {
  private static final int BLOCK = 4096;

  @TempDir private Path disks;
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 3, this::watched);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  /** Breaks the first replica's disk when the third replica records that it is being rebuilt. */
  private ReplicaDirectory watched(Path path, ReplicaDirectory directory) {
    if (!path.startsWith(disks.resolve("d3"))) {
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
      node.breakDisk(1);
    }
    try {
      return method.invoke(directory, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void rebuildContinuesFromAMemberWithTheSnapshot() throws Exception {
    try (OpenVolume volume = node.open(node.replicas().subList(0, 2))) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, OneNode.filled(BLOCK, 1));
      node.rebuild(volume, node.replica(3));
      io.write(BLOCK, OneNode.filled(BLOCK, 2));
      assertThat(volume.replicas())
          .containsEntry("r-1", MemberMode.ERR)
          .containsEntry("r-2", MemberMode.RW)
          .containsEntry("r-3", MemberMode.RW);
    }
    try (OpenVolume volume = node.open(node.replicas().subList(2, 3))) {
      assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 1));
      assertThat(new DeviceIo(volume.device()).read(BLOCK, BLOCK))
          .isEqualTo(OneNode.filled(BLOCK, 2));
    }
  }
}
