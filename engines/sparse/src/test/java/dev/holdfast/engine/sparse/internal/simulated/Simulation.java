package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.replica.SimulatedReplica;
import dev.holdfast.engine.sparse.simulation.Outcome;
import dev.holdfast.engine.sparse.simulation.Rule;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * One random history of a volume on several nodes, which die, lose their memory, are parted from
 * each other and from the store; clients read and write all the while, and engines are opened on
 * other nodes while the former one still runs. In the end everything is healed, and all replicas
 * must be current and equal. Loaded by {@link dev.holdfast.engine.sparse.simulation.Instrumented}.
 */
final class Simulation implements Callable<Outcome> {
  private static final String VOLUME = "v";
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final int STEPS = 220;
  // Longer than the members' time-out, at times.
  private static final int LONG_PAUSE = 2000;
  private static final int HEALING = 400;
  private static final long SLOW = 200_000;

  private final Scheduler scheduler;
  private final Random random;
  private final SimulatedNetwork network;
  private final SimulatedRegister register;
  private final SimulatedExcuses excuses;
  private final SimulatedClients clients;
  private final SimulatedStructure structure;
  private final Direction direction;
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final Map<String, SimulatedNode> byReplica = new TreeMap<>();
  private final List<SimulatedClients.Served> served = new ArrayList<>();
  private int opening;
  private int openings;
  private int faults;
  private boolean healing;
  private int renewed;
  private String lastRefusal = "";

  Simulation(long seed, Rule without, Rule towards) throws IOException {
    this.scheduler = new Scheduler(seed);
    this.random = new Random(seed ^ 0x5DEECE66DL);
    this.network = new SimulatedNetwork(scheduler, random, without);
    this.register = new SimulatedRegister(scheduler, random, without);
    this.direction = Direction.of(towards);
    this.excuses = new SimulatedExcuses(byReplica, network, register);
    this.clients = new SimulatedClients(scheduler, random, direction.habit(), byReplica, excuses);
    this.structure = new SimulatedStructure(scheduler, random, clients);
    int layout = direction.layout(random);
    int count = layout == 3 ? 3 : layout + 1;
    for (int i = 1; i <= count; i++) {
      ReplicaLocation location =
          new ReplicaLocation(
              VOLUME, "r" + i, "n" + i, Path.of("/disk-" + i), "r" + i, layout == 3 && i == 3);
      SimulatedNode node = new SimulatedNode(scheduler, network, location, without);
      provision(node, "");
      network.add(node);
      nodes.add(node);
      byReplica.put(location.replica(), node);
    }
  }

  private static void provision(SimulatedNode node, String suffix) throws IOException {
    String id = (node.location().witness() ? "witness-" : "id-") + node.name() + suffix;
    SimulatedReplica.provision(node.disk(), node.location(), id, SimulatedClients.SIZE);
  }

  @Override
  public Outcome call() throws InterruptedException {
    scheduler.run(this::play);
    return new Outcome(scheduler.trace(), clients.acknowledged(), openings, faults);
  }

  private void play() {
    nodes.forEach(SimulatedNode::start);
    pause(1);
    open(nodes.get(random.nextInt(nodes.size())));
    pause(200);
    for (int step = 0; step < STEPS; step++) {
      step();
      pause(random.nextInt(15) == 0 ? LONG_PAUSE : random.nextInt(4));
    }
    heal();
    check();
  }

  private void pause(int millis) {
    scheduler.sleep(Duration.ofNanos(1 + (long) (millis * random.nextDouble() * 1e6)));
  }

  private SimulatedNode anyNode() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  private void failed(SimulatedClients.Served one, StorageException cause) {
    if (one != null) {
      one.ended();
      if (!one.process().dead() && !excuses.excused(one, cause)) {
        throw new Violation("the volume failed: " + cause.getMessage());
      }
    }
  }

  private void step() {
    served.removeIf(one -> !one.alive());
    int kind = random.nextInt(100);
    if (kind < 70) {
      if (!served.isEmpty() && !structure.busy()) {
        clients.ask(served.get(random.nextInt(served.size())));
      }
    } else if (kind < 70 + direction.structure()) {
      if (clients.latest() != null && clients.latest().alive()) {
        structure.change(clients.latest(), List.copyOf(byReplica.keySet()));
      }
    } else if (kind < 82) {
      startOrOpen(false);
    } else if (kind < 90) {
      recover();
    } else {
      fault();
    }
  }

  private void startOrOpen(boolean elsewhere) {
    SimulatedNode node = anyNode();
    if (!node.up()) {
      node.start();
    } else if (opening == 0 && (elsewhere || served.isEmpty() || random.nextInt(4) == 0)) {
      open(node);
    } else {
      rebuildOne();
    }
  }

  private void recover() {
    switch (random.nextInt(4)) {
      case 0 -> network.join();
      case 1 -> register.heal();
      case 2 -> anyNode().repair();
      default -> nodes.stream().filter(node -> !node.up()).forEach(SimulatedNode::start);
    }
  }

  private void fault() {
    faults++;
    SimulatedNode node = anyNode();
    SimulatedNode other = anyNode();
    switch (direction.fault(random)) {
      case KILL -> kill(node);
      case POWER -> losePower(node);
      case ALL_POWER -> nodes.forEach(this::losePower);
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
      case WRITE_HANGS -> node.hangOne(Duration.ofMillis(random.nextInt(2500)));
      case DISK_FULL -> node.disk().setFull(true);
      case SYNC_FAILS -> node.disk().setSyncFails(() -> syncFails(node));
      case DISK_BREAKS -> {
        node.disk().setBroken(true);
        // Its kernel may give up what a sync cannot write.
        node.syncFails();
        clients.lost();
      }
      case SWEEP -> sweep();
      case OPEN -> startOrOpen(true);
    }
  }

  // What was not flushed may be lost from here on, as in a loss of power.
  private boolean syncFails(SimulatedNode node) {
    node.syncFails();
    clients.lost();
    return true;
  }

  private void sweep() {
    for (SimulatedNode node : nodes) {
      SparseEngine engine = node.engine();
      if (engine != null) {
        scheduler.start(node.process(), engine::sweep);
      }
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

  private void open(SimulatedNode node) {
    SparseEngine engine = node.engine();
    if (engine == null) {
      return;
    }
    opening++;
    Scheduler.Incarnation process = node.process();
    scheduler.start(process, () -> openNow(node, engine));
    // One that dies with its process never ends. While all is healed nobody dies, and a second one
    // beside it would take over from it, the third from the second, and so on for ever.
    scheduler.later(
        Scheduler.WORLD, 10_000 * SimulatedNetwork.MILLI, () -> opening = healing ? opening : 0);
  }

  private void openNow(SimulatedNode node, SparseEngine engine) {
    SimulatedRegister.View view = register.of(node.name());
    SimulatedClients.Served[] opened = new SimulatedClients.Served[1];
    long begun = scheduler.now();
    EngineListener listener =
        new EngineListener() {
          @Override
          public void replicaChanged(String replica, ReplicaMode mode, String reason) {
            scheduler.note(mode.name().hashCode());
            if (mode == ReplicaMode.RW && opened[0] != null) {
              opened[0].current(replica, scheduler.now());
            }
          }

          @Override
          public void failed(StorageException cause) {
            Simulation.this.failed(opened[0], cause);
          }
        };
    try {
      OpenVolume volume =
          engine.open(
              new OpenRequest(
                  VOLUME,
                  SimulatedClients.SIZE,
                  node.name(),
                  nodes.stream().map(SimulatedNode::location).toList(),
                  view,
                  listener,
                  new OpenOptions(Set.of(), false, TIMEOUT)));
      openings++;
      int order = (int) view.generation();
      SimulatedClients.Served now = clients.serves(node, volume, order, begun);
      if (now == clients.latest()) {
        structure.serves();
      }
      opened[0] = now;
      served.add(now);
      for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
        clients.read(now, block);
      }
    } catch (StorageException e) {
      lastRefusal = e.getMessage();
    }
    opening = 0;
  }

  private void rebuildOne() {
    SimulatedClients.Served latest = clients.latest();
    if (latest == null || !latest.alive()) {
      return;
    }
    // In the order of names: an unmodifiable map has another order in each process.
    new TreeMap<>(latest.volume().replicas())
        .forEach(
            (name, mode) -> {
              if (mode == ReplicaMode.ERR) {
                scheduler.start(latest.node().process(), () -> rebuild(latest, name));
              }
            });
  }

  private void rebuild(SimulatedClients.Served latest, String name) {
    try {
      Rebuild begun =
          ((RebuildableVolume) latest.volume()).rebuild(byReplica.get(name).location(), pace());
      scheduler.note(begun.totalBytes());
    } catch (StorageException e) {
      lastRefusal = e.getMessage();
      if (healing && e.code() == ErrorCode.CONFLICT) {
        renew(name);
      }
    }
  }

  private RebuildOptions pace() {
    boolean slow = direction.habit() == Direction.Habit.TRIMMING && !healing;
    return slow ? new RebuildOptions(SLOW) : RebuildOptions.UNLIMITED;
  }

  // One with a history that nobody knows is left as it is, and made anew when nobody wants it.
  private void renew(String name) {
    try {
      SimulatedNode node = byReplica.get(name);
      node.disk().clear();
      provision(node, "-" + ++renewed);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean healthy() {
    SimulatedClients.Served latest = clients.latest();
    return latest != null
        && latest.alive()
        && clients.underWay() == 0
        && latest.volume().replicas().values().stream().allMatch(ReplicaMode.RW::equals);
  }

  // 11: with everybody there again, the volume opens and all replicas become current.
  private void heal() {
    healing = true;
    network.join();
    register.heal();
    nodes.forEach(this::kill);
    nodes.forEach(SimulatedNode::repair);
    nodes.forEach(SimulatedNode::start);
    served.clear();
    opening = 0;
    pause(5);
    for (int attempt = 0; attempt < HEALING; attempt++) {
      SimulatedClients.Served latest = clients.latest();
      if (latest == null || !latest.alive()) {
        if (opening == 0) {
          open(nodes.stream().filter(node -> !node.location().witness()).findFirst().get());
        }
      } else if (healthy()) {
        return;
      } else {
        rebuildOne();
      }
      pause(300);
    }
    throw new Violation(
        "not healed: "
            + (clients.latest() == null ? "not open" : clients.latest().volume().replicas())
            + ", "
            + clients.underWay()
            + " requests under way; last refusal: "
            + lastRefusal);
  }

  private void check() {
    for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
      clients.read(clients.latest(), block);
    }
    for (int wait = 0; clients.underWay() > 0 || wait < 3; wait++) {
      pause(100);
    }
    checkEqual();
    try {
      structure.check(
          clients.latest(), nodes.stream().filter(node -> !node.location().witness()).toList());
    } catch (StorageException e) {
      throw new Violation("snapshots cannot be listed: " + e.getMessage());
    }
  }

  private void checkEqual() {
    byte[][] first = new byte[SimulatedClients.BLOCKS][];
    for (SimulatedNode node : nodes) {
      for (int block = 0; block < first.length && !node.location().witness(); block++) {
        byte[] content = SimulatedContent.of(node.disk(), SimulatedClients.position(block));
        first[block] = first[block] == null ? content : first[block];
        if (SimulatedContent.size(node.disk()) != register.record().sizeBytes()) {
          throw new Violation("the replica on " + node.name() + " has another size");
        }
        if (!Arrays.equals(first[block], content)) {
          throw new Violation("block " + block + " differs on " + node.name());
        }
      }
    }
  }
}
