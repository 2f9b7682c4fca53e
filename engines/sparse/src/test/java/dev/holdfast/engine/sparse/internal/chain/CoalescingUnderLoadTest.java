package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Layers are coalesced on one thread while other threads read, write, trim and take snapshots. */
@Timeout(120)
class CoalescingUnderLoadTest {
  private static final int WRITERS = 3;
  private static final int REGION = 1 << 20;
  private static final int SIZE = WRITERS * REGION;
  private static final int ROUNDS = Integer.getInteger("holdfast.rounds", 25);

  @TempDir private Path disk;
  // The required content of the volume. Each writer has its own region. A snapshot closes the gate.
  private final byte[] shadow = new byte[SIZE];
  private final ReadWriteLock gate = new ReentrantReadWriteLock(true);
  private final AtomicBoolean over = new AtomicBoolean();
  private final Map<String, byte[]> kept = new TreeMap<>();
  private LocalChain chain;

  @Test
  void coalescingPreservesEveryContent() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "r", "n", disk, "r");
    new ReplicaStorage().provision(location, SIZE);
    ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
    chain = open(directory);
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<Integer>> work = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      work.add(threads.submit(() -> use(writer)));
    }
    work.add(threads.submit(this::coalesce));
    try {
      makeSnapshots(new Random(1));
    } finally {
      over.set(true);
      // Report the first failure, because later ones only show a partly executed request.
      for (Future<Integer> each : work) {
        assertThat(each.get()).isPositive();
      }
    }
    threads.shutdown();
    verify();
    chain.close();
    chain = open(directory);
    verify();
    chain.close();
  }

  private static LocalChain open(ReplicaDirectory directory) throws Exception {
    VolumeMeta meta = LonghornLayout.volumeMeta(directory).orElseThrow();
    return LocalChain.open(
        directory, meta, false, new ChainLimits(250, 64, 64 << 10, new RateLimit(2L << 30)));
  }

  private void makeSnapshots(Random random) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      String name = "s" + round;
      gate.writeLock().lock();
      try {
        perform(ChainOperation.Kind.SNAPSHOT, name);
        kept.put(name, shadow.clone());
      } finally {
        gate.writeLock().unlock();
      }
      if (kept.size() > 4) {
        String gone = new ArrayList<>(kept.keySet()).get(random.nextInt(kept.size()));
        kept.remove(gone);
        perform(ChainOperation.Kind.REMOVE, gone);
      }
      String some = new ArrayList<>(kept.keySet()).get(random.nextInt(kept.size()));
      verify(some);
    }
  }

  private void perform(ChainOperation.Kind kind, String name) throws Exception {
    chain.perform(new ChainOperation(kind + name, kind, name, false, "", Map.of(), 0));
  }

  private int coalesce() throws Exception {
    int coalesced = 0;
    boolean more = true;
    while (more || !over.get()) {
      more = chain.coalesce(Set.of());
      coalesced += more ? 1 : 0;
    }
    return coalesced;
  }

  private int use(int writer) throws Exception {
    Random random = new Random(100 + writer);
    int done = 0;
    while (!over.get()) {
      gate.readLock().lock();
      try {
        request(random, writer * REGION);
        done++;
      } finally {
        gate.readLock().unlock();
      }
    }
    return done;
  }

  private void request(Random random, int start) throws Exception {
    int offset = start + random.nextInt(REGION);
    int length = 1 + random.nextInt(Math.min(40_000, start + REGION - offset));
    switch (random.nextInt(4)) {
      case 0 -> {
        chain.layers().zero(offset, length, random.nextBoolean());
        Arrays.fill(shadow, offset, offset + length, (byte) 0);
      }
      case 1 -> {
        byte[] content = new byte[length];
        Arrays.fill(content, (byte) random.nextInt());
        chain.layers().write(offset, ByteBuffer.wrap(content));
        System.arraycopy(content, 0, shadow, offset, length);
      }
      default -> {
        ByteBuffer content = ByteBuffer.allocate(length);
        chain.layers().read(offset, content);
        int wrong = Arrays.mismatch(content.array(), 0, length, shadow, offset, offset + length);
        assertThat(wrong).as("from %d on %d bytes", offset, length).isNegative();
      }
    }
  }

  private void verify() throws Exception {
    ByteBuffer content = ByteBuffer.allocate(SIZE);
    chain.layers().read(0, content);
    assertThat(Arrays.mismatch(content.array(), shadow)).as("head").isNegative();
    for (String name : kept.keySet()) {
      verify(name);
    }
  }

  private void verify(String name) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(SIZE);
    chain.read(name, 0, content);
    assertThat(Arrays.mismatch(content.array(), kept.get(name))).as(name).isNegative();
  }
}
