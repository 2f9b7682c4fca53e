package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands a small volume over within the same engine a few times, once per engine instance. The first
 * hand-over loads and compiles code and takes ten times as long as the next.
 */
final class HandoverWarmup {
  private static final Logger LOG = LoggerFactory.getLogger(HandoverWarmup.class);
  private static final int SIZE = 1 << 20;
  private static final int BLOCK = 4096;
  private static final int ROUNDS = 3;

  private final Path parent;
  private boolean done;

  /**
   * Creates a warm-up that has not run.
   *
   * @param parent folder that holds the volume's replica until the warm-up ends
   */
  HandoverWarmup(Path parent) {
    this.parent = parent;
  }

  /**
   * Runs the warm-up unless it ran before. Concurrent callers wait. Returns whether this call ran
   * it successfully.
   */
  synchronized boolean run(HandoverEngine engine) {
    if (done) {
      return false;
    }
    done = true;
    try {
      Path folder = Files.createTempDirectory(parent, "rehearsal");
      try {
        play(engine, folder);
        return true;
      } finally {
        delete(folder);
      }
    } catch (IOException | StorageException e) {
      LOG.info("could not rehearse a hand-over: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private static void play(HandoverEngine engine, Path disk)
      throws StorageException, InterruptedException {
    String name = "rehearsal-" + UUID.randomUUID();
    ReplicaLocation replica = new ReplicaLocation(name, name, name, disk, name);
    engine.provisionReplica(replica, SIZE);
    OpenRequest request =
        new OpenRequest(name, SIZE, name, List.of(replica), new Register(), new Silent());
    OpenVolume open = engine.open(request);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        write(open);
        open = engine.resume(request, ((HandoverVolume) open).handOver(false));
      }
      write(open);
    } finally {
      open.close();
    }
    engine.deleteReplica(replica);
  }

  private static void write(OpenVolume open) throws InterruptedException {
    CountDownLatch answered = new CountDownLatch(1);
    open.device()
        .write(0, ByteBuffer.allocateDirect(BLOCK), IoFlags.NONE, failure -> answered.countDown());
    answered.await();
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  /** Register of the volume that exists only during the warm-up. */
  private static final class Register implements MembershipRegister {
    private Membership stored = Membership.NONE;

    @Override
    public synchronized Membership read() {
      return stored;
    }

    @Override
    public synchronized boolean compareAndSet(Membership expected, Membership next) {
      boolean same = stored.equals(expected);
      stored = same ? next : stored;
      return same;
    }
  }

  private static final class Silent implements EngineListener {
    @Override
    public void replicaChanged(String replica, MemberMode mode, String reason) {}

    @Override
    public void failed(StorageException cause) {}
  }
}
