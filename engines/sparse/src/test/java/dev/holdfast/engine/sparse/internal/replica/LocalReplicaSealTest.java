package dev.holdfast.engine.sparse.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The locks that sealing a replica holds while it waits for a layer that is being coalesced. */
class LocalReplicaSealTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disk;

  private static <T> FutureTask<T> start(Callable<T> action, boolean untilBlocked) {
    FutureTask<T> task = new FutureTask<>(action);
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    while (untilBlocked && thread.isAlive() && thread.getState() != Thread.State.BLOCKED) {
      Thread.onSpinWait();
    }
    return task;
  }

  private static void awaitEnd(FutureTask<?> task) throws Exception {
    task.get(60, TimeUnit.SECONDS);
  }

  @Test
  void sealThatWaitsForCoalescingLetsARevertMarkTheReplica() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "v-r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, SIZE);
    ReplicaHost host =
        new ReplicaHost(new FragileDirectories(FragileDirectories.noneBroken())::open, "this boot");
    LocalReplica replica = host.fence(location, new Token(1, 1), by -> {}).replica();
    try {
      BitSet first = new BitSet();
      first.set(0);
      FutureTask<?> coalescing;
      FutureTask<?> seal;
      // Like a revert, which marks all regions for absent replicas under the lock of the chain.
      synchronized (replica.chain()) {
        coalescing = start(() -> replica.chain().coalesce(Set.of()), true);
        seal =
            start(
                () -> {
                  replica.seal();
                  return true;
                },
                true);
        FutureTask<?> mark =
            start(
                () -> {
                  replica.mark(first);
                  return true;
                },
                false);
        awaitEnd(mark);
      }
      awaitEnd(coalescing);
      awaitEnd(seal);
      assertThat(replica.chain().snapshots()).isEmpty();
    } finally {
      replica.close();
    }
  }
}
