package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rebuilt replica is being admitted while the store, or the replica, becomes unreachable. */
@Timeout(60)
class AdmissionTest {
  private static final long SIZE = 64L << 20;
  private static final int LENGTH = 8192;

  @TempDir private Path disks;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final ReplicaHost host = new ReplicaHost(LocalReplicaDirectory::new, "boot of a");
  private final MemoryNetwork network = new MemoryNetwork(node -> host, executor);
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final Cut cut = new Cut();
  private final AtomicBoolean lostOnceTold = new AtomicBoolean();
  private SparseEngine engine;
  private ReplicaLocation near;
  private ReplicaLocation far;
  private OpenVolume volume;

  /** The register as seen by the engine. Other nodes may still reach it when this engine cannot. */
  private final class Cut implements MembershipRegister {
    private boolean away;
    private int refusals;

    synchronized void away(boolean value) {
      away = value;
    }

    synchronized void awaitRefusals(int more) throws InterruptedException {
      int enough = refusals + more;
      while (refusals < enough) {
        wait();
      }
    }

    private synchronized void check() throws StorageException {
      if (away) {
        refusals++;
        notifyAll();
        throw new StorageException(ErrorCode.UNREACHABLE, "the store is away");
      }
    }

    @Override
    public Membership read() throws StorageException {
      check();
      return register.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      check();
      return register.compareAndSet(expected, next);
    }
  }

  @BeforeEach
  void dropOne() throws Exception {
    engine =
        new SparseEngine(
            LocalReplicaDirectory::new,
            "boot of here",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            this::connect);
    near = replica("here");
    far = replica("a");
    volume = open(cut, List.of(near, far));
    write(1).get();
    network.cutOff("a");
    write(2).get();
    listener.awaitMode("r-a", MemberMode.ERR);
    network.heal("a");
  }

  @AfterEach
  void stop() {
    cut.away(false);
    network.heal("a");
    engine.stop();
    executor.shutdown();
  }

  private ReplicaLocation replica(String node) throws StorageException {
    ReplicaLocation location =
        new ReplicaLocation("vol", "r-" + node, node, disks.resolve(node), "vol-" + node);
    new ReplicaStorage().provision(location, SIZE);
    return location;
  }

  private OpenVolume open(MembershipRegister by, List<ReplicaLocation> replicas)
      throws StorageException {
    OpenOptions options = new OpenOptions(Set.of(), false, Duration.ofMillis(300));
    return engine.open(new OpenRequest("vol", SIZE, "here", replicas, by, listener, options));
  }

  // The other node is lost, and with it the store, after it received an epoch.
  private ReplicaSessionLink connect(
      ReplicaLocation location, Token token, Duration timeout, ReplicaLinks.Listener watch)
      throws StorageException {
    ReplicaSessionLink real = network.connect(location, token, timeout, watch);
    return (ReplicaSessionLink)
        Proxy.newProxyInstance(
            ReplicaSessionLink.class.getClassLoader(),
            new Class<?>[] {ReplicaSessionLink.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(real, arguments);
                if (method.getName().equals("recordEpoch") && lostOnceTold.getAndSet(false)) {
                  cut.away(true);
                  network.cutOff("a");
                  throw new StorageException(ErrorCode.UNREACHABLE, "a: connection reset");
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Outcome write(int value) {
    byte[] content = new byte[LENGTH];
    Arrays.fill(content, (byte) value);
    Outcome outcome = new Outcome();
    volume.device().write(0, DeviceIo.direct(content), IoFlags.NONE, outcome);
    return outcome;
  }

  private Rebuild rebuild(RebuildOptions options) throws StorageException {
    return ((RebuildableVolume) volume).rebuild(far, options);
  }

  @Test
  void requestsContinueWhenTheStoreIsAwayAtTheEndOfARebuild() throws Exception {
    Rebuild rebuild = rebuild(new RebuildOptions(1));
    cut.away(true);
    rebuild.change(RebuildOptions.UNLIMITED);
    listener.awaitMode("r-a", MemberMode.RW);
    write(3).get();
    cut.away(false);
    rebuild.done().toCompletableFuture().get();
  }

  // An opening on another node could treat the replica as current, so no write is acknowledged
  // without it.
  @Test
  void replicaThatReceivedItsEpochIsNotDroppedWithoutTheStore() throws Exception {
    lostOnceTold.set(true);
    var unused = rebuild(RebuildOptions.UNLIMITED);
    cut.awaitRefusals(3);
    Outcome waiting = write(3);
    cut.awaitRefusals(3);
    assertThat(waiting.calls()).isZero();
    cut.away(false);
    waiting.get();
    assertThat(register.record().members()).hasSize(1);
  }
}
