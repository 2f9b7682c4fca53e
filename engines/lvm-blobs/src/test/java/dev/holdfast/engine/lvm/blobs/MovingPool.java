package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.MovingNode.Export;
import dev.holdfast.engine.lvm.blobs.MovingNode.Lower;
import dev.holdfast.engine.lvm.blobs.PoolDecider.NodeView;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.error.StorageException;
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
 * Processes and hosts end at any point, nodes are cut off, connections and writes of the record are
 * lost, and the blob grows. The history fails at once when requests of a host would fail, when two
 * hosts have the pool active, or when a device is connected a second time to an export that lives.
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
    EXPORTER_WITHDRAWN_BEFORE_CLIENTS,
    RECONNECTED_IN_SAME_GENERATION,
    LOSS_NOT_NOTICED
  }

  private final Random random;
  private final Mutant mutant;
  private final List<MovingNode> nodes = new ArrayList<>();
  private final Map<String, Boolean> wanted = new HashMap<>();
  private final List<String> log = new ArrayList<>();
  private PoolRecord record =
      new PoolRecord(BLOB, "", BlobOptions.THIN, List.of(blob(SIZE)), List.of(), PoolPlace.NONE);
  private Optional<MovingNode> lock = Optional.empty();
  private boolean calm;
  private int moves;

  MovingPool(long seed, Mutant mutant) {
    this.random = new Random(seed);
    this.mutant = mutant;
    for (int n = 1; n <= NODES; n++) {
      nodes.add(new MovingNode("node-" + n));
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

  private Optional<Export> exported(long generation) {
    return nodes.stream()
        .flatMap(node -> node.export.stream())
        .filter(export -> export.serves() && export.generation == generation)
        .findFirst();
  }

  private MovingNode node(String name) {
    return nodes.stream().filter(node -> node.name.equals(name)).findFirst().orElseThrow();
  }

  /** Plays the history; returns how often the pool was activated. */
  int play(int steps) throws StorageException {
    for (int n = 0; n < steps; n++) {
      disturb();
      MovingNode node = nodes.get(random.nextInt(NODES));
      if (node.running) {
        act(node);
      }
    }
    calm = true;
    nodes.forEach(node -> node.cutOff = false);
    for (int n = 0; n < 400; n++) {
      for (MovingNode node : nodes) {
        node.running = true;
        act(node);
      }
    }
    settled();
    return moves;
  }

  private void disturb() {
    MovingNode node = nodes.get(random.nextInt(NODES));
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
    if (happens(0.01) && node.link.isPresent()) {
      log.add(node.name + ": the connection is lost");
      node.linkLost = true;
    }
    if (happens(0.05) && lock.filter(holder -> !holder.active).isPresent()) {
      log.add("the lock of a host that has ended expires");
      lock = Optional.empty();
    }
    if (happens(0.005) && record.place().phase() == PoolPlace.Phase.SERVING) {
      log.add("the blob grows");
      record = record.with(blob(blob(record).sizeBytes() + SIZE));
    }
    if (happens(0.05)) {
      request(nodes.get(random.nextInt(NODES)));
    }
  }

  private static RecordedBlob blob(long sizeBytes) {
    return new RecordedBlob(BLOB, RecordedBlob.Phase.PRESENT, sizeBytes, "");
  }

  private static RecordedBlob blob(PoolRecord pool) {
    return pool.blob(BLOB).orElseThrow();
  }

  /** A caller attaches, detaches, or wants the pool on a node. */
  private void request(MovingNode node) {
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
          node.removeDevices(); // the layers go before the cookie
          node.memory.devices(node.memory.devices().without(BLOB));
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

  private Set<String> lost(MovingNode by) {
    Set<String> lost = new HashSet<>();
    for (MovingNode other : nodes) {
      boolean silent = !other.running || other.cutOff || by.cutOff;
      if (other != by && silent && !lock.equals(Optional.of(other))) {
        lost.add(other.name);
      }
    }
    return lost;
  }

  private NodeView view(MovingNode node, PoolRecord pool) {
    boolean trusted =
        mutant == Mutant.RECORD_TRUSTED_WITHOUT_LOCK
            && pool.place().phase() == PoolPlace.Phase.SERVING
            && pool.place().activeOn().equals(node.name);
    return new NodeView(
        node.name,
        node.active || trusted,
        node.memory.exports(pool.place().generation()),
        node.memory.devices(),
        lost(node));
  }

  private PoolStep decide(MovingNode node, PoolRecord pool) {
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
    PoolStep step = PoolDecider.next(pool, view(node, pool));
    boolean again = step.place().equals(Optional.of(place.renewed()));
    return mutant == Mutant.RECONNECTED_IN_SAME_GENERATION && again
        ? PoolStep.of(PoolStep.Kind.CONNECT)
        : step;
  }

  /** Looks at the connection of the node, as it does every few seconds. */
  private void look(MovingNode node) {
    NodeDevices devices = node.memory.devices();
    boolean lost = node.link.isPresent() && !node.isLinked();
    if (lost && devices.tried().contains(BLOB) && mutant != Mutant.LOSS_NOT_NOTICED) {
      node.memory.devices(devices.doubting(Set.of(BLOB)));
    }
  }

  /** Reads the record, or makes the step that follows from the record that was read before. */
  private void act(MovingNode node) throws StorageException {
    if (node.read.isEmpty()) {
      node.read = Optional.of(record);
      return;
    }
    if (calm || happens(0.1)) {
      look(node);
    }
    PoolRecord pool = node.read.get();
    node.read = Optional.empty();
    node.memory.begin(pool.place().generation());
    PoolStep step = decide(node, pool);
    if (step.kind() != PoolStep.Kind.WAIT && step.kind() != PoolStep.Kind.DONE) {
      log.add(node.name + ": " + step + " after " + pool.place());
    }
    switch (step.kind()) {
      case RECORD -> write(node, pool, pool.at(step.place().orElseThrow()));
      case RELEASE -> release(node, pool);
      case DEACTIVATE -> deactivate(node, pool);
      case ACTIVATE -> activate(node, pool);
      case EXPORT -> export(node, pool);
      case CONNECT -> connect(node, pool);
      case WAIT, DONE -> {}
    }
    if (happens(0.02)) {
      log.add(node.name + ": process ends after its step");
      node.endProcess();
    }
    check();
  }

  private void write(MovingNode node, PoolRecord expected, PoolRecord next) {
    if (happens(0.03)) {
      log.add(node.name + ": the write is lost");
      return;
    }
    if (record.equals(expected)) {
      record = next;
      if (happens(0.02)) {
        log.add(node.name + ": the answer to the write is lost");
      } else {
        node.memory.recorded(expected.place(), next.place(), node.name);
      }
    }
  }

  private void export(MovingNode node, PoolRecord pool) throws StorageException {
    long generation = pool.place().generation();
    if (pool.attachedBeside(node.name).isEmpty()) {
      node.memory.withdraw(BLOB);
    } else if (node.active) {
      Export export = new Export(node, generation, blob(pool).sizeBytes());
      node.export = Optional.of(export);
      node.memory.exporting(BLOB, export, generation);
    }
  }

  private void release(MovingNode node, PoolRecord pool) {
    NodeDevices before = node.memory.devices();
    if (pool.usedOn(node.name).isEmpty() || node.lower == Lower.ABSENT) {
      node.link = Optional.empty();
      node.memory.devices(before.released());
      return;
    }
    node.memory.devices(before.doubting(Set.of(BLOB)));
    if (node.lower == Lower.LINK && !node.isLinked()) {
      return; // a device above a lost connection cannot be suspended
    }
    node.waits = true;
    if (happens(0.05)) {
      node.endProcess();
      return;
    }
    if (happens(0.05)) {
      log.add(node.name + ": the release fails");
      return;
    }
    node.lower = Lower.ERROR;
    node.link = Optional.empty();
    node.memory.devices(before.without(BLOB).released());
  }

  private void deactivate(MovingNode node, PoolRecord pool) throws StorageException {
    if (node.lower == Lower.POOL) {
      // LVM refuses: it is in use
      require(false, node.name + ": the pool is deactivated below its own devices");
    }
    boolean taken = record.place().generation() != pool.place().generation();
    for (MovingNode other : nodes) {
      boolean uses = other.lower == Lower.LINK && other.isLinked() && !other.waits;
      require(
          !uses || taken || lost(node).contains(other.name) || wasLost(other),
          node.name + ": the export is withdrawn below " + other.name);
    }
    node.memory.withdrawAll();
    node.export = Optional.empty();
    node.active = false;
    if (lock.equals(Optional.of(node))) {
      lock = Optional.empty();
    }
  }

  /** A node that another one did not wait for is still recorded as connected. */
  private boolean wasLost(MovingNode node) {
    return record.place().phase() == PoolPlace.Phase.MOVING
        && record.place().connection(node.name) != 0
        && mutant != Mutant.EXPORTER_WITHDRAWN_BEFORE_CLIENTS;
  }

  private void activate(MovingNode node, PoolRecord pool) {
    boolean taken = record.place().generation() != pool.place().generation(); // the lock refuses it
    for (MovingNode other : nodes) {
      require(
          other == node
              || taken
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

  private void connect(MovingNode node, PoolRecord pool) {
    long generation = pool.place().generation();
    RecordedBlob blob = blob(pool);
    boolean here = pool.place().activeOn().equals(node.name);
    if (mutant == Mutant.RESUMED_BEFORE_CONNECTED) {
      node.waits = false;
      check();
    }
    if ((!here || node.link.isPresent()) && !link(node, here, generation, blob)) {
      return;
    }
    if (node.link.isPresent() && happens(0.05)) {
      log.add(node.name + ": the connection is lost while requests are sent to it again");
      node.linkLost = true;
      node.waits = node.lower != Lower.ABSENT; // the suspension above it does not return
      return;
    }
    node.lower = here ? Lower.POOL : Lower.LINK;
    if (happens(0.05)) {
      node.endProcess();
      return;
    }
    if (here) {
      node.link = Optional.empty();
      node.memory.devices(node.memory.devices().without(BLOB));
    }
    node.waits = false;
    node.sizeBytes = blob.sizeBytes();
    node.memory.devices(node.memory.devices().connected(BLOB, blob.sizeBytes()));
  }

  /** Connects the device to an export, on the active node to one of its own. */
  private boolean link(MovingNode node, boolean here, long generation, RecordedBlob blob) {
    Optional<Export> export = exported(generation);
    if (here && export.isEmpty()) { // for this step only
      export = Optional.of(new Export(node, generation, blob.sizeBytes()));
    }
    if (export.isEmpty()) {
      return false;
    }
    node.memory.devices(node.memory.devices().trying(BLOB));
    require(
        !node.link.equals(export),
        node.name + ": a late request of its first connection can overwrite newer data");
    node.link = export;
    node.linkLost = false;
    if (happens(0.05)) {
      log.add(node.name + ": the process ends, or the export does not answer");
      if (random.nextBoolean()) {
        node.endProcess();
      }
      return false;
    }
    return export.get().sizeBytes >= blob.sizeBytes();
  }

  /** Holds after every step. */
  private void check() {
    long active = nodes.stream().filter(node -> node.active).count();
    require(active <= 1, active + " hosts have the pool active");
    for (MovingNode node : nodes) {
      require(
          node.waits || node.lower != Lower.ERROR, node.name + ": requests of the host would fail");
      require(
          node.lower != Lower.POOL || node.active,
          node.name + ": its device points at a pool that is not active there");
    }
  }

  /** Holds when the faults have ended. */
  private void settled() {
    for (MovingNode node : nodes) {
      boolean uses = wanted.getOrDefault(node.name, false);
      require(
          !uses || (node.reaches() && !node.waits),
          node.name + ": attached, and its requests do not reach the pool: " + record);
      require(
          !uses || node.sizeBytes == blob(record).sizeBytes(),
          node.name + ": its device has another size than the blob: " + record);
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
