package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.replica.SimulatedReplica;
import dev.holdfast.engine.sparse.simulation.Outcome;
import dev.holdfast.engine.sparse.simulation.Rule;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/**
 * One random history of a volume on several nodes, which die, lose their memory, and are
 * partitioned from each other and from the store. Clients read and write all the time, and engines
 * are opened on other nodes while the former one still runs. At the end all faults are healed, and
 * all replicas must be current and equal. Loaded by {@link
 * dev.holdfast.engine.sparse.simulation.Instrumented}.
 */
final class Simulation implements Callable<Outcome> {
  private static final int STEPS = 220;
  // Longest pause, which may exceed the time-out of members.
  private static final int LONG_PAUSE = 2000;
  private static final int HEALING = 400;
  private static final int MEND_AFTER = 100;
  private static final int SCRUBBING = 100;

  private final Scheduler scheduler;
  private final Random random;
  private final SimulatedCluster cluster;
  private final SimulatedNetwork network;
  private final SimulatedRegister register;
  private final SimulatedClients clients;
  private final SimulatedStructure structure;
  private final SimulatedRot rot;
  private final SimulatedOpenings openings;
  private final Direction direction;
  private final Optional<Schedule> schedule;
  private int faults;

  Simulation(long seed, Rule without, Rule towards) throws IOException {
    this.scheduler = new Scheduler(seed);
    this.random = new Random(seed ^ 0x5DEECE66DL);
    this.direction = Direction.of(towards, random);
    this.schedule = Schedule.of(towards);
    int layout = direction.layout(random);
    boolean based = schedule.isEmpty() && SimulatedImage.below(seed);
    this.cluster =
        new SimulatedCluster(
            scheduler, random, without, based, layout == 3 ? 3 : layout + 1, layout == 3);
    this.network = cluster.network();
    this.register = cluster.register();
    SimulatedExcuses excuses = new SimulatedExcuses(cluster.byReplica(), network, register);
    this.clients = new SimulatedClients(scheduler, random, cluster.byReplica(), excuses, based);
    this.structure = new SimulatedStructure(scheduler, random, clients);
    this.rot = new SimulatedRot(cluster, clients, structure);
    this.openings = new SimulatedOpenings(cluster, excuses, clients, structure, rot);
  }

  @Override
  public Outcome call() throws InterruptedException {
    scheduler.run(this::play);
    return new Outcome(scheduler.trace(), clients.acknowledged(), openings.count(), faults);
  }

  private void play() {
    cluster.nodes().forEach(SimulatedNode::start);
    cluster.pause(1);
    if (schedule.isPresent()) {
      schedule
          .get()
          .play(new Stage(cluster, clients, structure, openings, this::kill, this::losePower));
    } else {
      openings.open(cluster.any());
      cluster.pause(200);
      for (int step = 0; step < STEPS; step++) {
        step();
        cluster.pause(random.nextInt(15) == 0 ? LONG_PAUSE : random.nextInt(4));
      }
    }
    heal();
    check();
  }

  private void step() {
    List<SimulatedClients.Served> served = openings.served();
    int kind = random.nextInt(100);
    if (kind < 70) {
      if (!served.isEmpty() && !structure.busy()) {
        clients.ask(served.get(random.nextInt(served.size())));
      }
    } else if (kind < 70 + direction.structure()) {
      if (clients.latest() != null && clients.latest().alive()) {
        structure.change(clients.latest(), List.copyOf(cluster.byReplica().keySet()));
      }
    } else if (kind < 82) {
      startOrOpen(false);
    } else if (kind < 90) {
      recover();
    } else {
      faults++;
      fault(direction.fault(random));
    }
  }

  private void startOrOpen(boolean elsewhere) {
    SimulatedNode node = cluster.any();
    if (!node.up()) {
      node.start();
    } else if (openings.idle()
        && (elsewhere || openings.served().isEmpty() || random.nextInt(4) == 0)) {
      openings.open(node);
    } else {
      openings.rebuildAll();
    }
  }

  private void recover() {
    switch (random.nextInt(4)) {
      case 0 -> network.join();
      case 1 -> register.heal();
      case 2 -> cluster.any().repair();
      default -> cluster.nodes().stream().filter(node -> !node.up()).forEach(SimulatedNode::start);
    }
  }

  private void fault(Fault fault) {
    SimulatedNode node = cluster.any();
    SimulatedNode other = cluster.any();
    switch (fault) {
      case KILL -> kill(node);
      case POWER -> losePower(node);
      case ALL_POWER -> cluster.nodes().forEach(this::losePower);
      case PART -> {
        network.part(node.name(), other.name());
        if (random.nextBoolean()) {
          network.hangUp(node.name(), other.name());
        }
      }
      case HANG_UP -> network.hangUp(node.name(), other.name());
      case CUT_OFF -> register.cutOff(node.name());
      case LOSE_ANSWER -> register.loseAnswer();
      case DISK_HANGS -> node.hang(Duration.ofMillis(random.nextInt(2500)));
      case STOP -> node.stop(Duration.ofMillis(random.nextInt(2500)));
      case ERROR -> node.throwNext();
      case WRITE_HANGS -> node.hangOne(Duration.ofMillis(random.nextInt(2500)));
      case DISK_FULL -> {
        rot.spreads();
        node.disk().setRoom(random.nextInt(2));
      }
      case SYNC_FAILS -> node.disk().setSyncFails(() -> syncFails(node));
      case DISK_BREAKS -> breakDisk(node);
      case COMMIT_BREAKS -> node.disk().setBreaksAfterCommit(() -> breakDisk(node));
      case SECTOR_UNREADABLE -> spoil(node);
      case BUNDLE_REPLACED -> openings.replaceBundle(node);
      case CLONE -> clone(node);
      case SWEEP -> sweep();
      case OPEN -> startOrOpen(true);
      case ROT -> rot();
      case SALVAGE -> salvage(node);
    }
  }

  // From here on unflushed data may be lost, as after a loss of power.
  private boolean syncFails(SimulatedNode node) {
    node.syncFails();
    clients.lost();
    return true;
  }

  private void breakDisk(SimulatedNode node) {
    rot.spreads();
    node.disk().setBroken(true);
    // Its kernel may discard pages that a sync cannot write.
    node.syncFails();
    clients.lost();
  }

  // Only on one disk at a time, because data that several replicas cannot read is lost.
  private void spoil(SimulatedNode node) {
    cluster.nodes().forEach(SimulatedNode::mendSectors);
    node.spoil(random.nextInt(SimulatedClients.BLOCKS));
  }

  private void sweep() {
    for (SimulatedNode node : cluster.nodes()) {
      SparseEngine engine = node.engine();
      if (engine != null) {
        scheduler.start(node.process(), engine::sweep);
      }
    }
  }

  private void clone(SimulatedNode node) {
    String snapshot = structure.any();
    SparseEngine engine = node.engine();
    if (random.nextInt(4) == 0) {
      node.disk().unshare();
    } else if (engine != null && !snapshot.isEmpty()) {
      scheduler.start(node.process(), () -> clone(engine, node.location(), snapshot));
    }
  }

  private void clone(SparseEngine engine, ReplicaLocation location, String snapshot) {
    try {
      SimulatedReplica.share(engine.host(), location, snapshot);
    } catch (StorageException e) {
      scheduler.note(e.code().name().hashCode());
    }
  }

  private void rot() {
    if (openings.idle()) {
      rot.step();
    } else {
      rot.scrub();
    }
  }

  private void salvage(SimulatedNode node) {
    List<SimulatedNode> holders = cluster.holders();
    TreeSet<String> named = new TreeSet<>();
    for (int i = 0; i < holders.size(); i++) {
      named.add(holders.get(random.nextInt(holders.size())).location().replica());
    }
    if (openings.idle()) {
      openings.open(node, named);
    }
  }

  private void kill(SimulatedNode node) {
    if (node.up()) {
      node.kill();
      died(node);
    }
  }

  private void losePower(SimulatedNode node) {
    boolean up = node.up();
    node.losePower(random);
    if (up) {
      died(node);
    }
    clients.lost();
  }

  private void died(SimulatedNode node) {
    clients.brokenOff();
    network.died(node.name());
  }

  private boolean healthy() {
    SimulatedClients.Served latest = clients.latest();
    return latest != null
        && latest.alive()
        && clients.underWay() == 0
        && latest.volume().replicas().values().stream().allMatch(MemberMode.RW::equals);
  }

  // 11: when all replicas are reachable again, the volume opens and all become current.
  private void heal() {
    network.join();
    register.heal();
    // A replaced bundle must leave nothing that blocks the next one.
    boolean killed = random.nextBoolean();
    cluster.nodes().stream().filter(node -> killed).forEach(this::kill);
    cluster.nodes().forEach(SimulatedNode::repair);
    cluster.nodes().stream().filter(SimulatedNode::up).forEach(openings::replaceBundle);
    cluster.nodes().stream().filter(node -> !node.up()).forEach(SimulatedNode::start);
    openings.heal();
    cluster.pause(5);
    for (int attempt = 0; attempt < HEALING; attempt++) {
      SimulatedClients.Served latest = clients.latest();
      if (latest == null || !latest.alive()) {
        if (attempt > MEND_AFTER) {
          // The only replica that kept its memory cannot be read.
          cluster.nodes().forEach(SimulatedNode::mendSectors);
        }
        if (openings.idle()) {
          openings.open(cluster.holders().get(0));
        }
      } else if (healthy()) {
        return;
      } else {
        cluster.nodes().forEach(SimulatedNode::mendSectors);
        openings.rebuildAll();
      }
      cluster.pause(300);
    }
    throw new Violation(
        "not healed: "
            + (clients.latest() == null ? "not open" : clients.latest().volume().replicas())
            + ", "
            + clients.underWay()
            + " requests under way; last refusal: "
            + openings.lastRefusal());
  }

  private void check() {
    for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
      clients.read(clients.latest(), block);
    }
    for (int wait = 0; clients.underWay() > 0 || wait < 3; wait++) {
      cluster.pause(100);
    }
    checkContent();
    checkScrubbing();
    checkContent();
  }

  private void checkContent() {
    for (SimulatedNode node : cluster.nodes()) {
      node.disk()
          .forbiddenChange()
          .ifPresent(
              what -> {
                throw new Violation(what + " on " + node.name());
              });
    }
    checkEqual();
    try {
      structure.check(clients.latest(), cluster.holders(), rot::spoilt);
    } catch (StorageException e) {
      throw new Violation("snapshots cannot be listed: " + e.getMessage());
    }
  }

  // When all replicas are reachable, the damage must be found.
  private void checkScrubbing() {
    if (direction.faults().contains(Fault.ROT) && random.nextBoolean()) {
      // While a clone keeps a removed layer of one replica, snapshots above it are not scrubbed.
      cluster.nodes().forEach(node -> node.disk().unshare());
      scrubUntil(rot.ended() + 1, "a snapshot");
      rot.strike();
      for (int attempt = 0; rot.outstanding() && attempt < SCRUBBING; attempt++) {
        rot.scrub();
        cluster.pause(300);
      }
      if (rot.outstanding()) {
        throw new Violation("what rotted was not scrubbed");
      }
    }
  }

  private void scrubUntil(int ended, String what) {
    for (int attempt = 0; rot.ended() < ended && !structure.any().isEmpty(); attempt++) {
      if (attempt == SCRUBBING) {
        throw new Violation(what + " was not scrubbed");
      }
      rot.scrub();
      cluster.pause(300);
    }
  }

  private void checkEqual() {
    List<byte[]> first = new ArrayList<>();
    for (SimulatedNode node : cluster.holders()) {
      if (SimulatedContent.size(node.disk()) != register.record().sizeBytes()) {
        throw new Violation("the replica on " + node.name() + " has another size");
      }
      List<byte[]> content = content(node);
      for (int at = 0; at < content.size() && !first.isEmpty(); at++) {
        boolean equal = Arrays.equals(first.get(at), content.get(at));
        if (!equal && !rot.spoilt(at / 2)) {
          throw new Violation("block " + at / 2 + " differs on " + node.name());
        }
      }
      first = content;
    }
  }

  // Returns each checked block and the next one.
  private static List<byte[]> content(SimulatedNode node) {
    List<byte[]> content = new ArrayList<>();
    for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
      long position = SimulatedClients.position(block);
      content.add(SimulatedContent.of(node.disk(), position));
      content.add(SimulatedContent.of(node.disk(), position + SimulatedClients.BLOCK));
    }
    return content;
  }
}
