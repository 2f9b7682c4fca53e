package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.sparse.simulation.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Events of a history in a fixed order, for cases that random histories rarely produce. The seed
 * still determines the durations of messages and the order of threads.
 */
@FunctionalInterface
interface Schedule {
  /** Less than a block in a second. */
  RebuildOptions SLOW = new RebuildOptions(2000);

  void play(Stage stage);

  /** Returns the schedule that shows the absence of a rule; empty if random histories show it. */
  static Optional<Schedule> of(Rule without) {
    return switch (without) {
      case DROP_FLUSHED -> Optional.of(Schedule::survivorLosesPower);
      case ERROR_EQUALISED -> Optional.of(Schedule::bothDisksFull);
      case SALVAGED_TOGETHER -> Optional.of(Schedule::oneNamedIsBehind);
      case SALVAGE_MISSES_ALL -> Optional.of(Schedule::oneAheadComesBack);
      case UNREADABLE_LEFT_OUT -> Optional.of(Schedule::sectorUnreadableAfterKill);
      case REFUSED_OPERATION_MISSED -> Optional.of(Schedule::revertRefusedAndMade);
      case PROMISE_DURABLE -> Optional.of(Schedule::forgottenPromise);
      case WITNESS_FENCED_AGAIN -> Optional.of(Schedule::witnessRestarted);
      case LOCK_HONOURED -> Optional.of(Schedule::openedWhileBundleIsReplaced);
      case TRIM_BY_ALL_LAYERS -> Optional.of(stage -> changedWhileCopied(stage, true));
      case COPY_BELOW_HEAD, TARGET_GETS_CHANGES ->
          Optional.of(stage -> changedWhileCopied(stage, false));
      default -> Optional.empty();
    };
  }

  /**
   * A replica is dropped. Then the host of the other one, which had not flushed on its own,
   * reboots.
   */
  private static void survivorLosesPower(Stage stage) {
    SimulatedClients.Served served = stage.open(1);
    stage.writeAll(served);
    stage.cluster().network().part("n1", "n2");
    stage.clients().write(served, 0);
    stage.awaitMode(served, 2, MemberMode.ERR);
    stage.losePower().accept(stage.cluster().node(1));
    stage.cluster().node(1).start();
    stage.cluster().pause(1);
    stage.open(1);
    stage.awaitAnswers();
  }

  /**
   * An engine beside a witness loses both replicas and the store, and another engine takes over.
   * Then the hosts of the replicas restart, and the former engine reaches them first.
   */
  private static void forgottenPromise(Stage stage) {
    SimulatedCluster cluster = stage.cluster();
    SimulatedClients.Served former = stage.open(3);
    stage.writeAll(former);
    cluster.network().part("n3", "n1");
    cluster.network().part("n3", "n2");
    cluster.register().cutOff("n3");
    for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
      stage.clients().write(former, block);
    }
    stage.writeAll(stage.open(1));
    stage.kill().accept(cluster.node(1));
    stage.kill().accept(cluster.node(2));
    cluster.node(1).start();
    cluster.node(2).start();
    cluster.pause(1);
    cluster.network().join();
    cluster.pause(4000);
    stage.open(1);
    stage.awaitAnswers();
  }

  /**
   * One replica has no space for a revert. The other executes it durably, and then its disk breaks.
   * It is rebuilt, and is the only replica after that.
   */
  private static void revertRefusedAndMade(Stage stage) {
    SimulatedNode refuses = stage.cluster().node(1);
    SimulatedNode makes = stage.cluster().node(2);
    SimulatedClients.Served former = stage.open(1);
    stage.writeAll(former);
    stage.snapshot(former);
    stage.writeAll(former);
    // Closed cleanly, so that no mark covers the writes since the snapshot.
    stage.close(former);
    SimulatedClients.Served served = stage.open(1);
    stage.awaitAnswers();
    refuses.disk().setRoom(0);
    boolean[] made = new boolean[1];
    makes.disk().setBreaksAfterCommit(() -> made[0] = true);
    stage.structure().revert(served);
    stage.await("the revert of r2", () -> made[0]);
    refuses.repair();
    stage.awaitMode(served, 2, MemberMode.ERR);
    stage.await("the refusal", () -> !stage.structure().busy());
    makes.repair();
    stage.openings().rebuildAll();
    stage.awaitMode(served, 2, MemberMode.RW);
    stage.kill().accept(refuses);
    stage.open(2);
    stage.awaitAnswers();
  }

  /** An engine dies; when its node is back, a sector of the other replica cannot be read. */
  private static void sectorUnreadableAfterKill(Stage stage) {
    SimulatedClients.Served served = stage.open(1);
    stage.writeAll(served);
    stage.flush(served);
    stage.kill().accept(stage.cluster().node(1));
    stage.cluster().node(2).spoil(0);
    stage.cluster().node(1).start();
    stage.cluster().pause(1);
    stage.open(1);
    stage.awaitAnswers();
  }

  /** The process of the witness is a new one when a replica must be dropped. */
  private static void witnessRestarted(Stage stage) {
    SimulatedNode witness = stage.cluster().node(3);
    SimulatedClients.Served served = stage.open(1);
    stage.writeAll(served);
    stage.kill().accept(witness);
    witness.start();
    stage.cluster().pause(1);
    stage.cluster().network().part("n1", "n2");
    stage.clients().write(served, 0);
    stage.awaitMode(served, 2, MemberMode.ERR);
    stage.awaitAnswers();
  }

  /**
   * A bundle is replaced while it opens the volume: it has one replica, and waits for the other
   * one. The next bundle opens the volume before that opening has ended.
   */
  private static void openedWhileBundleIsReplaced(Stage stage) {
    SimulatedNode replaced = stage.cluster().node(1);
    SimulatedClients.Served served = stage.open(1);
    stage.writeAll(served);
    stage.close(served);
    stage.cluster().node(2).hang(Duration.ofSeconds(3));
    stage.openings().open(replaced);
    stage.cluster().pause(400);
    stage.openings().replaceBundle(replaced);
    stage.await("the next bundle", () -> !replaced.replacing());
    stage.openings().open(replaced);
    stage.open(1);
    stage.awaitAnswers();
  }

  /** A write of two blocks finds space for one block on one disk, and for none on the other. */
  private static void bothDisksFull(Stage stage) {
    SimulatedClients.Served served = stage.open(1);
    stage.clients().write(served, 0);
    stage.awaitAnswers();
    stage.cluster().node(1).disk().setRoom(1);
    stage.cluster().node(2).disk().setRoom(0);
    stage.clients().writeTwo(served, 1);
    stage.awaitAnswers();
    stage.cluster().nodes().forEach(SimulatedNode::repair);
    stage.clients().read(served, 1);
    stage.awaitAnswers();
    stage.kill().accept(stage.cluster().node(1));
    stage.open(2);
    stage.awaitAnswers();
  }

  /**
   * A salvage names the stale replica. The replica with later writes is rebuilt, and is the only
   * replica after that.
   */
  private static void oneAheadComesBack(Stage stage) {
    SimulatedNode ahead = stage.cluster().node(1);
    SimulatedNode behind = stage.cluster().node(2);
    SimulatedClients.Served former = stage.open(1);
    stage.writeAll(former);
    // Closed cleanly, so that no mark covers the regions in which they may differ.
    stage.close(former);
    SimulatedClients.Served served = stage.open(1);
    stage.kill().accept(behind);
    stage.writeAll(served);
    stage.awaitMode(served, 2, MemberMode.ERR);
    stage.close(served);
    stage.kill().accept(ahead);
    behind.start();
    stage.cluster().pause(1);
    SimulatedClients.Served salvaged = stage.salvage(2, Set.of("r2"));
    stage.awaitAnswers();
    ahead.start();
    stage.cluster().pause(1);
    stage.openings().rebuildAll();
    stage.awaitMode(salvaged, 1, MemberMode.RW);
    stage.kill().accept(behind);
    stage.open(1);
    stage.awaitAnswers();
  }

  /** Of two salvaged replicas one was dropped, and the other received writes since. */
  private static void oneNamedIsBehind(Stage stage) {
    SimulatedNode behind = stage.cluster().node(2);
    SimulatedClients.Served former = stage.open(1);
    stage.writeAll(former);
    // Closed cleanly, so that no mark remains by which an opening would make them equal.
    stage.close(former);
    SimulatedClients.Served served = stage.open(1);
    stage.kill().accept(behind);
    stage.writeAll(served);
    stage.awaitMode(served, 2, MemberMode.ERR);
    behind.start();
    stage.close(served);
    stage.salvage(1, Set.of("r1", "r2"));
    stage.awaitAnswers();
  }

  /** Blocks are changed while a slow rebuild has not yet copied the content below them. */
  private static void changedWhileCopied(Stage stage, boolean trimmed) {
    SimulatedClients.Served served = stage.open(1);
    if (!trimmed) {
      stage.writeAll(served);
    }
    // Content that the target never had is a hole there until it is copied.
    stage.cluster().network().part("n1", "n2");
    stage.writeAll(served);
    stage.awaitMode(served, 2, MemberMode.ERR);
    stage.writeAll(served);
    stage.cluster().network().join();
    stage.openings().pace(SLOW);
    stage.openings().rebuildAll();
    stage.awaitMode(served, 2, MemberMode.WO);
    if (trimmed) {
      stage.trimAll(served);
    } else {
      stage.writeAll(served);
    }
    stage.awaitMode(served, 2, MemberMode.RW);
    // Alone, because otherwise an opening would make it equal to the other replica.
    stage.kill().accept(stage.cluster().node(1));
    stage.open(2);
    stage.awaitAnswers();
  }
}
