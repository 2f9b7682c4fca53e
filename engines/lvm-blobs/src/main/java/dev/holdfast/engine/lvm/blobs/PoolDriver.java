package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Lets the nodes of a pool make their steps in turn until a goal is reached. Holds no lock while
 * another node works. Used by one thread.
 */
final class PoolDriver {
  private static final int MOST_ROUNDS = 20;

  private final PoolRecords records;
  private final PoolPeers peers;
  private final String node;
  private final String group;
  private final String id;
  private final Pass pass;

  /** Makes the steps of this node under the lock of the pool. */
  interface Pass {
    PoolStep run() throws StorageException;
  }

  PoolDriver(
      PoolRecords records, PoolPeers peers, String node, String group, String id, Pass pass) {
    this.records = records;
    this.peers = peers;
    this.node = node;
    this.group = group;
    this.id = id;
    this.pass = pass;
  }

  /**
   * Makes rounds until the devices of this node are connected.
   *
   * @throws StorageException of a step that keeps failing; BUSY naming the node that is waited for
   */
  void untilConnected() throws StorageException {
    run(step -> step.kind() == PoolStep.Kind.DONE);
  }

  /**
   * Makes rounds until all nodes that answer have nothing to do.
   *
   * @throws StorageException as {@link #untilConnected}
   */
  void untilSettled() throws StorageException {
    run(step -> step.kind() == PoolStep.Kind.DONE && isSettled());
  }

  private boolean isSettled() {
    try {
      Optional<PoolRecords.Version> version = records.read(id);
      return version.isEmpty() || isSettled(version.get().pool());
    } catch (StorageException e) {
      return false;
    }
  }

  private boolean isSettled(PoolRecord pool) {
    PoolPlace place = pool.place();
    return place.phase() == PoolPlace.Phase.IDLE
        || (place.phase() == PoolPlace.Phase.SERVING
            && pool.users().stream()
                .filter(user -> user.equals(node) || peers.isReachable(user))
                .allMatch(user -> place.connection(user) == place.generation()));
  }

  private void run(Predicate<PoolStep> reached) throws StorageException {
    StorageException failure = null;
    long before = -1;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      PoolStep step = PoolStep.of(PoolStep.Kind.WAIT);
      StorageException failed = null;
      try {
        step = pass.run();
        if (reached.test(step)) {
          advanceOthers();
          return;
        }
      } catch (StorageException e) {
        failed = e;
      }
      StorageException others = advanceOthers();
      failure = failed == null ? others : failed;
      long now = records.read(id).map(version -> version.stored().version()).orElse(0L);
      if (now == before) {
        throw failure == null ? waiting(step) : failure;
      }
      before = now;
    }
    throw failure == null ? waiting(PoolStep.of(PoolStep.Kind.WAIT)) : failure;
  }

  private StorageException waiting(PoolStep step) {
    String other = step.node().isEmpty() ? "another node" : "node " + step.node();
    return new StorageException(
        ErrorCode.BUSY, "pool " + group + "/" + id + " waits for " + other + ": try again");
  }

  /** Returns the failure of a node that answers; a node that does not is waited for elsewhere. */
  private StorageException advanceOthers() throws StorageException {
    StorageException failure = null;
    for (String other : others()) {
      if (!peers.isReachable(other)) {
        continue;
      }
      try {
        peers.advance(other, group, id);
      } catch (StorageException e) {
        failure = LocalBlobManager.first(failure, e);
      }
    }
    return failure;
  }

  private Set<String> others() throws StorageException {
    Set<String> nodes = new LinkedHashSet<>();
    Optional<PoolRecords.Version> version = records.read(id);
    if (version.isPresent()) {
      PoolRecord pool = version.get().pool();
      nodes.add(pool.place().activeOn());
      nodes.addAll(pool.users());
      nodes.addAll(pool.place().connected().keySet());
      nodes.add(pool.place().wantedOn());
    }
    nodes.remove("");
    nodes.remove(node);
    return nodes;
  }
}
