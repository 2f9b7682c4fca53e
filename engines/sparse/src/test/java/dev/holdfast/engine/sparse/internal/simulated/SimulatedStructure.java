package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Snapshots, reverts, growth and removal of replicas, with the permitted content of snapshots: any
 * value that a block may have had between the call and the answer.
 */
final class SimulatedStructure {
  private static final int MOST_SNAPSHOTS = 6;
  private static final long STEP = 8L << 20;
  private static final long LARGEST = SimulatedClients.SIZE + 3 * STEP;

  /**
   * A snapshot: the permitted contents of its blocks, and whether it certainly exists and was not
   * removed.
   */
  private static final class Known {
    private final List<Set<Long>> content = new ArrayList<>();
    private boolean made;
    private boolean givenUp;
    private boolean wanted;
  }

  /** Results of a revert. */
  private enum Outcome {
    MADE,
    REFUSED,
    IN_DOUBT
  }

  private final Scheduler scheduler;
  private final Random random;
  private final SimulatedClients clients;
  private final Map<String, Known> snapshots = new TreeMap<>();
  private final List<Known> inDoubt = new ArrayList<>();
  private Known reverting;
  private int number;
  private int changes;

  SimulatedStructure(Scheduler scheduler, Random random, SimulatedClients clients) {
    this.scheduler = scheduler;
    this.random = random;
    this.clients = clients;
    clients.notWhile(this::busy);
  }

  /** Returns the number of executed changes. */
  int changes() {
    return changes;
  }

  /** Returns whether a revert is in progress, during which clients send no requests. */
  boolean busy() {
    return reverting != null;
  }

  /** Records that another engine serves, which has completed or abandoned pending operations. */
  void serves() {
    if (reverting != null) {
      perhaps(reverting);
      reverting = null;
    }
    for (Known known : inDoubt) {
      unwatch(known);
    }
    inDoubt.clear();
  }

  /** Records a salvage, after which snapshots of other replicas may be lost. */
  void salvaged() {
    snapshots.values().forEach(known -> known.made = false);
  }

  /** Keeps a snapshot from being removed. */
  void keep(String name) {
    snapshots.get(name).wanted = true;
  }

  private void perhaps(Known known) {
    for (int block = 0; block < known.content.size(); block++) {
      clients.blocks().get(block).perhapsReverted(known.content.get(block));
    }
  }

  private void unwatch(Known known) {
    for (int block = 0; block < known.content.size(); block++) {
      clients.blocks().get(block).unwatch(known.content.get(block));
    }
  }

  /** Makes a random structural change, on a thread of the engine's process. */
  void change(SimulatedClients.Served served, List<String> replicas) {
    if (busy()) {
      return;
    }
    int kind = random.nextInt(12);
    if (kind < 5) {
      snapshot(served);
    } else if (kind < 7) {
      revert(served);
    } else if (kind < 9) {
      delete(served);
    } else if (kind < 10) {
      start(served, () -> expand(served));
    } else {
      String replica = replicas.get(random.nextInt(replicas.size()));
      start(served, () -> ((ReducibleVolume) served.volume()).removeReplica(replica));
    }
  }

  private interface Work {
    void run() throws StorageException;
  }

  private void start(SimulatedClients.Served served, Work work) {
    scheduler.start(
        served.process(),
        () -> {
          try {
            work.run();
            changes++;
          } catch (StorageException e) {
            scheduler.note(e.code().name().hashCode());
          }
        });
  }

  /** Takes a snapshot, on a thread of the engine's process. */
  void snapshot(SimulatedClients.Served served) {
    if (snapshots.size() >= MOST_SNAPSHOTS) {
      return;
    }
    String name = "s" + number++;
    Known known = new Known();
    clients.blocks().forEach(block -> known.content.add(block.watch()));
    snapshots.put(name, known);
    inDoubt.add(known);
    start(
        served,
        () -> {
          var unused =
              ((SnapshotVolume) served.volume())
                  .createSnapshot(new SnapshotRequest(name, true, Instant.EPOCH, Map.of()));
          known.made = served == clients.latest();
          if (known.made && inDoubt.remove(known)) {
            unwatch(known);
          }
        });
  }

  /** Returns a snapshot that certainly exists and was not removed, empty for none. */
  String any() {
    return any(known -> true);
  }

  private String any(Predicate<Known> which) {
    List<String> usable =
        snapshots.entrySet().stream()
            .filter(entry -> entry.getValue().made && !entry.getValue().givenUp)
            .filter(entry -> which.test(entry.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    return usable.isEmpty() ? "" : usable.get(random.nextInt(usable.size()));
  }

  private void delete(SimulatedClients.Served served) {
    String name = any(known -> !known.wanted);
    if (!name.isEmpty()) {
      snapshots.get(name).givenUp = true;
      start(served, () -> ((SnapshotVolume) served.volume()).deleteSnapshot(name));
    }
  }

  /** Reverts to a snapshot, if no request is in flight, on a thread of the engine's process. */
  void revert(SimulatedClients.Served served) {
    String name = any();
    if (name.isEmpty() || served != clients.latest() || clients.underWay() > 0) {
      return;
    }
    Known known = snapshots.get(name);
    reverting = known;
    for (int block = 0; block < known.content.size(); block++) {
      clients.blocks().get(block).reverting(known.content.get(block));
    }
    start(
        served,
        () -> {
          Outcome outcome = Outcome.IN_DOUBT;
          try {
            ((SnapshotVolume) served.volume()).revert(name);
            outcome = Outcome.MADE;
          } catch (StorageException e) {
            outcome = ChainOperation.refused(e) ? Outcome.REFUSED : Outcome.IN_DOUBT;
            throw e;
          } finally {
            reverted(served, known, outcome);
          }
        });
  }

  private void reverted(SimulatedClients.Served served, Known known, Outcome outcome) {
    if (reverting != known || served.process().dead()) {
      return;
    }
    reverting = null;
    switch (outcome) {
      case MADE -> {
        for (int block = 0; block < known.content.size(); block++) {
          clients.blocks().get(block).reverted(known.content.get(block));
        }
      }
      case IN_DOUBT -> perhaps(known);
      // All blocks are unchanged, and no later opening executes the revert.
      case REFUSED -> {}
    }
  }

  private static void expand(SimulatedClients.Served served) throws StorageException {
    long size = served.volume().device().size() + STEP;
    if (size <= LARGEST) {
      ((ExpandableVolume) served.volume()).expand(size);
    }
  }

  /**
   * 10: checks that snapshots are equal on all members, have permitted content, and that none is
   * lost.
   *
   * @param spoilt blocks that are excluded from checks
   */
  void check(SimulatedClients.Served served, List<SimulatedNode> holders, IntPredicate spoilt)
      throws StorageException {
    Set<String> there = new java.util.TreeSet<>();
    for (SnapshotInfo snapshot : ((SnapshotVolume) served.volume()).snapshots()) {
      Known known = snapshots.get(snapshot.name());
      if (known != null && !snapshot.removed()) {
        there.add(snapshot.name());
        check(snapshot.name(), known, holders, spoilt);
      }
    }
    snapshots.forEach(
        (name, known) -> {
          if (known.made && !known.givenUp && !there.contains(name)) {
            throw new Violation("snapshot " + name + " is lost");
          }
        });
  }

  private static void check(
      String name, Known known, List<SimulatedNode> holders, IntPredicate spoilt) {
    for (int block = 0; block < known.content.size(); block++) {
      if (spoilt.test(block)) {
        continue;
      }
      byte[] first = null;
      for (SimulatedNode node : holders) {
        byte[] content = SimulatedContent.of(node.disk(), name, SimulatedClients.position(block));
        if (first != null && !Arrays.equals(first, content)) {
          throw new Violation(
              "snapshot " + name + ", block " + block + ", differs on " + node.name());
        }
        first = content;
      }
      long value = SimulatedClients.value(first);
      if (!known.content.get(block).contains(value)) {
        throw new Violation(
            "snapshot "
                + name
                + ", block "
                + block
                + ", holds "
                + value
                + ", not one of "
                + known.content.get(block));
      }
    }
  }
}
