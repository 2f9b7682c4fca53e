package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rebuild that begins while a removed snapshot is being coalesced. */
@Timeout(60)
class CoalescingMeetsRebuildTest {
  private static final int BLOCK = 4096;
  private static final String COORDINATOR = ".ChainCoordinator";

  @TempDir private Path disks;
  private final AtomicBoolean armed = new AtomicBoolean(true);
  private final CountDownLatch coalescing = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 2, this::watched);
  }

  @AfterEach
  void stop() {
    mayEnd.countDown();
    node.close();
  }

  private ReplicaDirectory watched(Path path, ReplicaDirectory directory) {
    return (ReplicaDirectory)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaDirectory.class},
            (proxy, method, arguments) -> call(directory, method, arguments));
  }

  /**
   * The coalescing of a layer into its child begins by opening both, without a lock of the chain.
   */
  private Object call(ReplicaDirectory directory, Method method, Object[] arguments)
      throws Throwable {
    if (method.getName().equals("open")
        && arguments[0].equals("volume-snap-first.img")
        && isCoalescing()
        && armed.compareAndSet(true, false)) {
      coalescing.countDown();
      mayEnd.await();
    }
    try {
      return method.invoke(directory, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static boolean isCoalescing() {
    return Arrays.stream(Thread.currentThread().getStackTrace())
        .anyMatch(frame -> frame.getClassName().endsWith(".Coalescer"));
  }

  private static void awaitFreezing(Thread thread) {
    while (thread.isAlive() && !isFreezing(thread)) {
      Thread.onSpinWait();
    }
  }

  private static boolean isFreezing(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(
                frame ->
                    frame.getClassName().endsWith(COORDINATOR)
                        && frame.getMethodName().equals("freeze"));
  }

  /** Returns the classes of the monitors that a thread holds while it waits. */
  private static List<String> held(Thread thread) {
    ThreadInfo[] found =
        ManagementFactory.getThreadMXBean().getThreadInfo(new long[] {thread.getId()}, true, false);
    return Arrays.stream(found[0].getLockedMonitors()).map(MonitorInfo::getClassName).toList();
  }

  @Test
  void rebuildThatWaitsForCoalescingHoldsUpNoStructuralOperation() throws Exception {
    try (OpenVolume volume = node.open(List.of(node.replica(1)))) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, OneNode.filled(BLOCK, 1));
      SnapshotVolume snapshots = (SnapshotVolume) volume;
      snapshots.createSnapshot(new SnapshotRequest("first", true, Instant.EPOCH, Map.of()));
      io.write(BLOCK, OneNode.filled(BLOCK, 2));
      snapshots.createSnapshot(new SnapshotRequest("second", true, Instant.EPOCH, Map.of()));
      snapshots.deleteSnapshot("first");
      coalescing.await();
      FutureTask<Rebuild> rebuild =
          new FutureTask<>(
              () ->
                  ((RebuildableVolume) volume).rebuild(node.replica(2), RebuildOptions.UNLIMITED));
      Thread rebuilding = new Thread(rebuild, "rebuild");
      rebuilding.start();
      awaitFreezing(rebuilding);

      assertThat(held(rebuilding)).noneMatch(name -> name.endsWith(COORDINATOR));

      mayEnd.countDown();
      rebuild.get().done().toCompletableFuture().get();
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(io.read(0, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 1));
      assertThat(io.read(BLOCK, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 2));
    }
  }
}
