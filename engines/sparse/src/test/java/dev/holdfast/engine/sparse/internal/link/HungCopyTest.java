package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.disk.HungWrite;
import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.LayerRequest.Kind;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A write of a rebuild that hangs in the target's disk when its connection is abandoned. */
@Timeout(120)
class HungCopyTest {
  private static final long SIZE = 8 << 20;
  private static final int PIECE = 64 << 10;
  private static final String IMAGE = "volume-snap-copied.img";
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir Path folder;
  private final FragileDirectories directories =
      new FragileDirectories(FragileDirectories.noneBroken());
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Semaphore fences = new Semaphore(0);
  private volatile Optional<HungWrite> hanging = Optional.empty();

  @AfterEach
  void stop() {
    timer.shutdownNow();
    executor.shutdown();
  }

  /** A connection that is abandoned while a write hangs on the other node. */
  private final class GivenUp implements LayerBytes {
    private final LayerBytes below;

    GivenUp(LayerBytes below) {
      this.below = below;
    }

    @Override
    public void read(long offset, ByteBuffer target) throws StorageException {
      below.read(offset, target);
    }

    @Override
    public void write(long offset, ByteBuffer source) throws StorageException {
      if (hanging.isEmpty()) {
        below.write(offset, source);
        return;
      }
      ByteBuffer sent = ByteBuffer.allocateDirect(source.remaining()).put(source).flip();
      executor.execute(() -> writeUnheard(offset, sent));
      await(hanging.get()::awaitBegin);
      throw new StorageException(ErrorCode.UNREACHABLE, "no caller waits any longer");
    }

    private void writeUnheard(long offset, ByteBuffer source) {
      try {
        below.write(offset, source);
      } catch (StorageException e) {
        // No caller waits for this request.
      }
    }

    @Override
    public void close() {
      below.close();
    }
  }

  private interface Wait {
    void run() throws InterruptedException;
  }

  private static void await(Wait wait) {
    try {
      wait.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private ReplicaSessionLink withConnectionsGivenUp(ReplicaSessionLink link) {
    return (ReplicaSessionLink)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaSessionLink.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "layerBytes" -> link.layerBytes((String) arguments[0]).map(GivenUp::new);
                  default -> {
                    try {
                      yield method.invoke(link, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }
                });
  }

  private RemoteMember target(TwoNodes nodes, ReplicaLocation replica) throws StorageException {
    ReplicaLinks links =
        (location, token, timeout, listener) -> {
          fences.release();
          return withConnectionsGivenUp(nodes.links.connect(location, token, timeout, listener));
        };
    RemoteMember target =
        RemoteMember.fence(
            replica,
            new Token(1, 1),
            new RemoteMember.Surroundings(
                links, executor, new WallClock(timer, executor), TIMEOUT));
    fences.drainPermits();
    return target;
  }

  private static LayerRequest.Builder ask(Kind kind) {
    return LayerRequest.newBuilder().setKind(kind).setImage(IMAGE);
  }

  private static ByteBuffer bytes(int value) {
    byte[] content = new byte[PIECE];
    Arrays.fill(content, (byte) value);
    return ByteBuffer.allocateDirect(PIECE).put(content).flip();
  }

  private void copyThenChange(RemoteMember target, LayerBytes copied) {
    try {
      copied.write(0, bytes(2));
      target.layer(ask(Kind.WRITE).setData(ByteString.copyFrom(bytes(3))).build());
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void hungRequestHasNoEffectOnLaterOnes() throws Exception {
    ReplicaHost host = new ReplicaHost(directories::open, "this-boot");
    try (TwoNodes nodes = new TwoNodes(folder, false, host)) {
      ReplicaLocation replica = nodes.replica("r-1", SIZE);
      RemoteMember target = target(nodes, replica);
      target.layer(ask(Kind.BEGIN).setLength(SIZE).build());
      LayerBytes copied = target.layerBytes(IMAGE);
      HungWrite hung = directories.hangNextWrite(replica.directory());
      hanging = Optional.of(hung);
      try {
        CompletableFuture<Void> changed =
            CompletableFuture.runAsync(() -> copyThenChange(target, copied), executor);
        CompletableFuture<Void> fenced =
            CompletableFuture.runAsync(() -> await(fences::acquire), executor);
        CompletableFuture.anyOf(changed, fenced).get(60, TimeUnit.SECONDS);
        hung.release();
        hung.awaitEnd();
        changed.get(60, TimeUnit.SECONDS);
      } finally {
        hung.release();
        fences.release();
      }
      LayerRequest read = ask(Kind.READ).setLength(PIECE).build();
      assertThat(target.layer(read).getData()).isEqualTo(ByteString.copyFrom(bytes(3)));
      copied.close();
      target.close();
    }
  }
}
