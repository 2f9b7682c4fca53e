package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.disk.HungWrite;
import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.LayerRequest.Kind;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A write of a rebuild that hangs in the target's disk for longer than it is waited for. */
@Timeout(120)
class HungCopyTest {
  private static final long SIZE = 8 << 20;
  private static final int PIECE = 64 << 10;
  private static final String IMAGE = "volume-snap-copied.img";
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  @TempDir Path folder;
  private final FragileDirectories directories =
      new FragileDirectories(FragileDirectories.noneBroken());
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  @AfterEach
  void stop() {
    timer.shutdownNow();
    executor.shutdown();
  }

  private final class RealClock implements MemberClock {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void later(Duration delay, Runnable action) {
      var unused =
          timer.schedule(() -> executor.execute(action), delay.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private static ByteBuffer bytes(int value) {
    byte[] content = new byte[PIECE];
    Arrays.fill(content, (byte) value);
    return ByteBuffer.allocateDirect(PIECE).put(content).flip();
  }

  private static LayerRequest.Builder ask(Kind kind) {
    return LayerRequest.newBuilder().setKind(kind).setImage(IMAGE);
  }

  /** What is made again until it succeeds, as a rebuild is. */
  @FunctionalInterface
  private interface Step {
    void run() throws StorageException;
  }

  private static void again(Step step) {
    boolean done = false;
    while (!done) {
      try {
        step.run();
        done = true;
      } catch (StorageException e) {
        Thread.onSpinWait();
      }
    }
  }

  // What is slow only the first time must not look like a disk that hangs.
  private static void warmUp(TwoNodes nodes, ReplicaLocation replica) throws StorageException {
    ReplicaLink link =
        nodes.links.connect(replica, new Token(1, 1), Duration.ofSeconds(30), cause -> {});
    link.layer(ask(Kind.BEGIN).setLength(SIZE).build());
    try (LayerBytes written = link.layerBytes(IMAGE).orElseThrow()) {
      written.write(0, bytes(1));
    }
    link.close();
  }

  private RemoteMember target(
      TwoNodes nodes, ReplicaLocation replica, long session, CountDownLatch fenced)
      throws StorageException {
    ReplicaLinks links =
        (location, token, timeout, listener) -> {
          fenced.countDown();
          return nodes.links.connect(location, token, timeout, listener);
        };
    RemoteMember target =
        RemoteMember.fence(
            replica,
            new Token(1, session),
            new RemoteMember.Surroundings(links, executor, new RealClock(), TIMEOUT));
    // Nobody can go on without it, so that it is waited for.
    target.serve(() -> false, cause -> {}, () -> {});
    return target;
  }

  @Test
  void whatHungHasNoEffectOnWhatCameLater() throws Exception {
    ReplicaHost host = new ReplicaHost(directories::open, "this-boot");
    try (TwoNodes nodes = new TwoNodes(folder, false, host)) {
      ReplicaLocation replica = nodes.replica("r-1", SIZE);
      warmUp(nodes, replica);
      CountDownLatch fencedTwice = new CountDownLatch(2);
      RemoteMember target = target(nodes, replica, 2, fencedTwice);
      LayerBytes copied = target.layerBytes(IMAGE);
      copied.write(PIECE, bytes(1));
      HungWrite hung = directories.hangNextWrite(replica.directory());
      try {
        LayerRequest newer =
            ask(Kind.WRITE).setOffset(0).setData(ByteString.copyFrom(bytes(3))).build();
        CompletableFuture<Void> later =
            CompletableFuture.runAsync(
                () -> {
                  again(() -> copied.write(0, bytes(2)));
                  again(() -> target.layer(newer));
                },
                executor);
        CompletableFuture<Void> fenced =
            CompletableFuture.runAsync(() -> await(fencedTwice), executor);
        CompletableFuture.anyOf(later, fenced).get(90, TimeUnit.SECONDS);
        hung.release();
        hung.awaitEnd();
        later.get(60, TimeUnit.SECONDS);
      } finally {
        hung.release();
      }
      LayerRequest read = ask(Kind.READ).setOffset(0).setLength(PIECE).build();
      assertThat(target.layer(read).getData()).isEqualTo(ByteString.copyFrom(bytes(3)));
      copied.close();
      target.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
