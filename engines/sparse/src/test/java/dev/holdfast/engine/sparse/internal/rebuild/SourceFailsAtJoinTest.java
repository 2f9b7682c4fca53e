package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A member fails after its layers were listed and before it made the join snapshot: a rebuild that
 * took its layers for the volume's would throw away what the target's head became.
 */
@Timeout(120)
class SourceFailsAtJoinTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disks;
  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final FragileDirectories directories = new FragileDirectories(broken);
  private final InMemoryRegister register = new InMemoryRegister();
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine =
        new SparseEngine(
            this::open,
            "boot",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            (location, token, timeout, listener) -> {
              throw new AssertionError("all replicas are here");
            });
    for (int i = 1; i <= 3; i++) {
      replicas.add(new ReplicaLocation("vol", "r-" + i, "node", disks.resolve("d" + i), "vol"));
      engine.provisionReplica(replicas.get(i - 1), SIZE);
    }
  }

  @AfterEach
  void stop() {
    broken.clear();
    engine.stop();
  }

  /** The first replica's disk breaks when the third one notes that it is being rebuilt. */
  private ReplicaDirectory open(Path path) {
    ReplicaDirectory directory = directories.open(path);
    if (!path.equals(replicas.get(2).directory())) {
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
      broken.add(replicas.get(0).directory());
    }
    try {
      return method.invoke(directory, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private OpenVolume open(List<ReplicaLocation> members) throws Exception {
    return engine.open(
        new OpenRequest("vol", SIZE, "node", members, register, new RecordingListener()));
  }

  private static byte[] filled(int value) {
    byte[] content = new byte[4096];
    Arrays.fill(content, (byte) value);
    return content;
  }

  @Test
  void rebuildGoesOnFromOneThatMadeTheSnapshot() throws Exception {
    try (OpenVolume volume = open(replicas.subList(0, 2))) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, filled(1));
      ((RebuildableVolume) volume)
          .rebuild(replicas.get(2), RebuildOptions.UNLIMITED)
          .done()
          .toCompletableFuture()
          .get();
      io.write(4096, filled(2));
      assertThat(volume.replicas())
          .containsEntry("r-1", ReplicaMode.ERR)
          .containsEntry("r-2", ReplicaMode.RW)
          .containsEntry("r-3", ReplicaMode.RW);
    }
    try (OpenVolume volume = open(replicas.subList(2, 3))) {
      assertThat(new DeviceIo(volume.device()).read(0, 4096)).isEqualTo(filled(1));
      assertThat(new DeviceIo(volume.device()).read(4096, 4096)).isEqualTo(filled(2));
    }
  }
}
