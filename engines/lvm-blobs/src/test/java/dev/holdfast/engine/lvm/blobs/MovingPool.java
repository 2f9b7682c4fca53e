package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * One history of a pool with one blob on three nodes: steps of the decider in a random order.
 * Processes and hosts end at any point, nodes are cut off, and writes of the record are lost. The
 * history fails at once when requests of a host would fail, or when two hosts have the pool active.
 */
final class MovingPool {
  private static final int NODES = 3;
  private static final String BLOB = "a";
  private static final long SIZE = 1 << 20;

  /** Faults of the decider or of what executes its steps, which the histories must find. */
  enum Mutant {
    NONE,
    ACTIVATED_BEFORE_ALL_RELEASED,
    RESUMED_BEFORE_CONNECTED,
    COOKIE_FORGOTTEN,
    RECORD_TRUSTED_WITHOUT_LOCK,
    EXPORTER_WITHDRAWN_BEFORE_CLIENTS
  }

  /** Target of the lower device of a host. */
  private enum Lower {
    ABSENT,
    ERROR,
    POOL,
    LINK
  }

  /** One host and the process on it. */
  private final class Node {
    private final String name;
    private boolean running = true;
    private boolean cutOff;
    // of the host
    private boolean active;
    private Lower lower = Lower.ABSENT;
    private long link;
    private boolean waits;
    // of the process
    private long exported;
    private long generation;
    private Optional<PoolRecord> read = Optional.empty();

    private Node(String name) {
      this.name = name;
    }

    private void endProcess() {
      running = false;
      exported = 0;
      generation = 0;
      read = Optional.empty();
    }

    private void endHost() {
      endProcess();
      active = false;
      lower = Lower.ABSENT;
      waits = false;
    }

    /** Returns whether requests of the host reach the pool now. */
    private boolean reaches() {
      return lower == Lower.POOL || (lower == Lower.LINK && isExported(link));
    }
  }

  private final Random random;
  private final Mutant mutant;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, Boolean> wanted = new HashMap<>();
  private final List<String> log = new ArrayList<>();
  private PoolRecord record =
      new PoolRecord(
          BLOB,
          "",
          BlobOptions.THIN,
          List.of(new RecordedBlob(BLOB, RecordedBlob.Phase.PRESENT, SIZE, "")),
          List.of(),
          PoolPlace.NONE);
  private Optional<Node> lock = Optional.empty();
  private boolean calm;
  private int moves;

  MovingPool(long seed, Mutant mutant) {
    this.random = new Random(seed);
    this.mutant = mutant;
    for (int n = 1; n <= NODES; n++) {
      nodes.add(new Node("node-" + n));
    }
  }

  private boolean happens(double probability) {
    return !calm && random.nextDouble() < probability;
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      int from = Math.max(0, log.size() - 40);
      throw new AssertionError(what + "\n" + String.join("\n", log.subList(from, log.size())));
    }
  }

  private boolean isExported(long generation) {
    return nodes.stream().anyMatch(node -> node.active && node.exported == generation);
  }

  private Node node(String name) {
    return nodes.stream().filter(node -> node.name.equals(name)).findFirst().orElseThrow();
  }

  /** Plays the history; returns how often the pool was activated. */
  int play(int steps) {
    for (int n = 0; n < steps; n++) {
      disturb();
      Node node = nodes.get(random.nextInt(NODES));
      if (node.running) {
        act(node);
      }
    }
    calm = true;
    nodes.forEach(node -> node.cutOff = false);
    for (int n = 0; n < 400; n++) {
      for (Node node : nodes) {
        node.running = true;
        act(node);
      }
    }
    settled();
    return moves;
  }

  private void disturb() {
    Node node = nodes.get(random.nextInt(NODES));
    if (happens(0.01)) {
      log.add(node.name + ": process ends");
      node.endProcess();
    } else if (happens(0.004)) {
      log.add(node.name + ": host ends");
      node.endHost();
    } else if (happens(0.2)) {
      node.running = true;
    } else if (happens(0.01)) {
      node.cutOff = !node.cutOff;
    }
    if (happens(0.05)) {
      request(nodes.get(random.nextInt(NODES)));
    }
  }

  /** A caller attaches, detaches, or wants the pool on a node. */
  private void request(Node node) {
    Attachment use = new Attachment(BLOB, node.name, "cookie", false);
    if (!node.running) {
      return;
    }
    switch (random.nextInt(3)) {
      case 0 -> {
        log.add(node.name + ": attach");
        wanted.put(node.name, true);
        record = mutant == Mutant.COOKIE_FORGOTTEN && happens(0.2) ? record : record.with(use);
      }
      case 1 -> {
        if (wanted.getOrDefault(node.name, false) && record.place().wantedOn().isEmpty()) {
          log.add(node.name + ": detach");
          wanted.put(node.name, false);
          node.read = Optional.empty(); // steps and calls of one process exclude each other
          node.lower = Lower.ABSENT; // the layers go before the cookie
          node.waits = false;
          node.generation = 0;
          record = record.without(use);
        }
      }
      default -> {
        PoolPlace place = record.place();
        if (place.phase() == PoolPlace.Phase.SERVING && !place.activeOn().equals(node.name)) {
          log.add(node.name + ": optimise");
          record = record.at(place.holding(node.name));
        }
      }
    }
    check();
  }

  private Set<String> lost(Node by) {
    Set<String> lost = new HashSet<>();
    for (Node other : nodes) {
      boolean silent = !other.running || other.cutOff || by.cutOff;
      if (other != by && silent && !lock.equals(Optional.of(other))) {
        lost.add(other.name);
      }
    }
    return lost;
  }

  private NodeView view(Node node, PoolRecord pool) {
    Map<String, PoolAddress> exports =
        node.exported != 0 && node.exported == pool.place().generation()
            ? Map.of(BLOB, new PoolAddress(node.name, "host", 1, node.exported))
            : Map.of();
    Map<String, Long> devices = node.generation > 0 ? Map.of(BLOB, SIZE) : Map.of();
    boolean trusted =
        mutant == Mutant.RECORD_TRUSTED_WITHOUT_LOCK
            && pool.place().phase() == PoolPlace.Phase.SERVING
            && pool.place().activeOn().equals(node.name);
    return new NodeView(
        node.name, node.active || trusted, exports, node.generation, devices, lost(node));
  }

  private PoolStep decide(Node node, PoolRecord pool) {
    PoolPlace place = pool.place();
    boolean holding = place.phase() == PoolPlace.Phase.HOLDING && place.connection(node.name) == 0;
    if (mutant == Mutant.ACTIVATED_BEFORE_ALL_RELEASED
        && holding
        && place.wantedOn().equals(node.name)) {
      return PoolStep.of(PoolStep.Kind.ACTIVATE);
    }
    if (mutant == Mutant.EXPORTER_WITHDRAWN_BEFORE_CLIENTS
        && holding
        && place.activeOn().equals(node.name)) {
      return PoolStep.record(place.moving(place.wantedOn()));
    }
    return PoolDecider.next(pool, view(node, pool));
  }

  /** Reads the record, or makes the step that follows from the record that was read before. */
  private void act(Node node) {
    if (node.read.isEmpty()) {
      node.read = Optional.of(record);
      return;
    }
    PoolRecord pool = node.read.get();
    node.read = Optional.empty();
    PoolStep step = decide(node, pool);
    if (step.kind() != PoolStep.Kind.WAIT && step.kind() != PoolStep.Kind.DONE) {
      log.add(node.name + ": " + step + " after " + pool.place());
    }
    switch (step.kind()) {
      case RECORD -> write(node, pool, pool.at(step.place().orElseThrow()));
      case RELEASE -> release(node);
      case DEACTIVATE -> deactivate(node, pool);
      case ACTIVATE -> activate(node);
      case EXPORT ->
          node.exported =
              node.active && !pool.attachedBeside(node.name).isEmpty()
                  ? pool.place().generation()
                  : 0;
      case CONNECT -> connect(node, pool);
      case WAIT, DONE -> {}
    }
    if (happens(0.02)) {
      log.add(node.name + ": process ends after its step");
      node.endProcess();
    }
    check();
  }

  private void write(Node node, PoolRecord expected, PoolRecord next) {
    if (happens(0.03)) {
      log.add(node.name + ": the write is lost");
      return;
    }
    if (record.equals(expected)) {
      record = next;
    }
  }

  private void release(Node node) {
    boolean dead = node.lower == Lower.LINK && !isExported(node.link);
    if (node.lower == Lower.ABSENT || dead) {
      // nothing to release, or a device above a dead connection, which cannot be suspended
      node.generation = node.lower == Lower.ABSENT ? PoolDecider.RELEASED : node.generation;
      if (dead && isExported(record.place().generation())) {
        node.link = record.place().generation();
      }
      return;
    }
    node.waits = true;
    if (happens(0.05)) {
      node.endProcess();
      return;
    }
    node.lower = Lower.ERROR;
    node.generation = PoolDecider.RELEASED;
  }

  private void deactivate(Node node, PoolRecord pool) {
    if (node.lower == Lower.POOL) {
      // LVM refuses: it is in use
      require(false, node.name + ": the pool is deactivated below its own devices");
    }
    boolean taken = record.place().generation() != pool.place().generation();
    for (Node other : nodes) {
      boolean uses = other.lower == Lower.LINK && other.link == node.exported && !other.waits;
      require(
          !uses || taken || node.exported == 0 || lost(node).contains(other.name) || wasLost(other),
          node.name + ": the export is withdrawn below " + other.name);
    }
    node.exported = 0;
    node.active = false;
    if (lock.equals(Optional.of(node))) {
      lock = Optional.empty();
    }
  }

  /** A node that another one did not wait for is still recorded as connected. */
  private boolean wasLost(Node node) {
    return record.place().phase() == PoolPlace.Phase.MOVING
        && record.place().connection(node.name) != 0
        && mutant != Mutant.EXPORTER_WITHDRAWN_BEFORE_CLIENTS;
  }

  private void activate(Node node) {
    for (Node other : nodes) {
      require(
          other == node
              || !other.reaches()
              || other.waits
              || lost(node).contains(other.name)
              || wasLost(other),
          node.name + ": the pool is activated while " + other.name + " uses it");
    }
    if (lock.isPresent() && lock.get() != node && lock.get().active) {
      return; // another host holds it
    }
    moves += node.active ? 0 : 1;
    lock = Optional.of(node);
    node.active = true;
  }

  private void connect(Node node, PoolRecord pool) {
    long generation = pool.place().generation();
    boolean here = pool.place().activeOn().equals(node.name);
    if (!here && !isExported(generation)) {
      return; // the export does not answer
    }
    if (mutant == Mutant.RESUMED_BEFORE_CONNECTED) {
      node.waits = false;
      check();
    }
    node.lower = here ? Lower.POOL : Lower.LINK;
    node.link = generation;
    if (happens(0.05)) {
      node.endProcess();
      return;
    }
    node.waits = false;
    node.generation = generation;
  }

  /** Holds after every step. */
  private void check() {
    long active = nodes.stream().filter(node -> node.active).count();
    require(active <= 1, active + " hosts have the pool active");
    for (Node node : nodes) {
      require(
          node.waits || node.lower != Lower.ERROR, node.name + ": requests of the host would fail");
      require(
          node.lower != Lower.POOL || node.active,
          node.name + ": its device points at a pool that is not active there");
    }
  }

  /** Holds when the faults have ended. */
  private void settled() {
    for (Node node : nodes) {
      boolean uses = wanted.getOrDefault(node.name, false);
      require(
          !uses || (node.reaches() && !node.waits),
          node.name + ": attached, and its requests do not reach the pool: " + record);
      require(uses || node.lower == Lower.ABSENT, node.name + ": a device is left over: " + record);
    }
    if (wanted.containsValue(true)) {
      require(record.place().phase() == PoolPlace.Phase.SERVING, "not serving: " + record);
      assertThat(node(record.place().activeOn()).active).isTrue();
    } else {
      assertThat(nodes).noneMatch(node -> node.active);
      require(record.place().phase() == PoolPlace.Phase.IDLE, "not idle: " + record);
    }
  }
}
