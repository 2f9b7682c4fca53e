package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.EngineDisks;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * One volume on one disk that three nodes share, with its lock: the store, the processes of the
 * nodes, and the disk. Each step is one decision or one action of a node; writes to the store may
 * be lost. The planner is the real one; a node acts as EngineReconciler, ReplicaReconciler and
 * LostEngineReconciler do.
 */
final class SharedDiskWorld {
  private static final long WITHOUT_LOCK = -1;

  private final Random random;
  private final Mutant mutant;
  private boolean mixed;
  private final TreeSet<String> nodes = new TreeSet<>(List.of("n1", "n2", "n3"));
  private final TreeSet<String> silent = new TreeSet<>();
  private final TreeMap<String, Long> open = new TreeMap<>();
  private Instant now = Views.NOW;
  private Optional<Volume> volume;
  private Optional<Engine> engine = Optional.empty();
  private Optional<Replica> replica = Optional.empty();
  private Optional<VolumeAttachment> attachment = Optional.empty();
  private boolean lossy = true;
  private boolean data;
  private String holder = "";
  private long epoch;

  /** Planted defects. */
  enum Mutant {
    NONE,
    /** A silent node counts as closed, whatever fencing its engine declares. */
    SILENT_IS_CLOSED,
    /** A replica on a shared disk is released with the node that owned it. */
    RELEASED_WITH_ITS_NODE,
    /** An engine opens without the lock that it declares. */
    OPENS_WITHOUT_LOCK
  }

  /**
   * Creates a world.
   *
   * @param mixed whether node n1 has a version of the engine that takes no lock and declares this
   */
  SharedDiskWorld(long seed, Mutant mutant, boolean mixed) {
    this.random = new Random(seed);
    this.mutant = mutant;
    this.mixed = mixed;
    Volume made = Cluster.volume("v");
    this.volume = Optional.of(made.withSpec(made.spec().withDataEngine(SharedNodes.ENGINE)));
  }

  private List<Node> nodeList() {
    return nodes.stream()
        .map(name -> silent.contains(name) ? SharedNodes.silent(name) : SharedNodes.node(name))
        .map(
            node ->
                mixed && node.name().equals("n1")
                    ? SharedNodes.declaring(node, EngineDisks.REPLICAS)
                    : node)
        .toList();
  }

  private String any() {
    return List.copyOf(nodes).get(random.nextInt(nodes.size()));
  }

  /** Returns a node that the engine names, or any node. */
  private String concerned() {
    List<String> named =
        engine.stream()
            .flatMap(e -> Stream.of(e.spec().nodeID(), e.status().nodeID()))
            .filter(nodes::contains)
            .toList();
    return named.isEmpty() || random.nextInt(3) == 0
        ? any()
        : named.get(random.nextInt(named.size()));
  }

  /** Makes one random step, and checks the invariants after it. */
  void step() {
    now = now.plus(Duration.ofSeconds(1));
    switch (random.nextInt(20)) {
      case 0 -> user();
      case 1 -> environment();
      case 2, 3, 4, 5, 6, 7 -> plan();
      case 8, 9 -> loseEngine();
      case 10, 11, 12, 13, 14 -> engineOn(concerned());
      default ->
          replicaOn(replica.map(Replica::ownerNode).filter(nodes::contains).orElseGet(this::any));
    }
    check();
  }

  private void check() {
    long writers = open.values().stream().filter(e -> e == WITHOUT_LOCK || e == epoch).count();
    assertThat(writers).as("writers whose writes reach the disk: %s", open).isLessThanOrEqualTo(1);
    assertThat(replica.isPresent() || !data).as("data without a replica is not left").isTrue();
    boolean expected = replica.filter(r -> r.status().provisioned()).isPresent();
    assertThat(data || !expected).as("data of a replica that is there").isTrue();
  }

  private void user() {
    if (volume.isEmpty() || volume.get().isBeingDeleted()) {
      return;
    }
    Volume present = volume.get();
    boolean idle = present.spec().nodeID().isEmpty() && present.status().currentNodeID().isEmpty();
    want(idle ? any() : "");
  }

  private void want(String node) {
    volume = volume.map(v -> v.withSpec(v.spec().withNodeID(node)));
  }

  private void environment() {
    String node = any();
    switch (random.nextInt(5)) {
      case 0, 1 -> silent.add(node);
      case 2, 3 -> silent.remove(node);
      default -> {
        if (silent.contains(node) && nodes.size() > 2 && random.nextInt(4) == 0) {
          // A user removes a node that is known to be dead.
          nodes.remove(node);
          silent.remove(node);
          open.remove(node);
        }
      }
    }
  }

  private boolean kept() {
    return !lossy || random.nextInt(5) > 0;
  }

  private void plan() {
    if (volume.isEmpty()) {
      return;
    }
    boolean ownerGone = isOwnerGone();
    VolumePlan plan = new VolumePlanner().next(view());
    plan.newAttachment().filter(a -> kept()).ifPresent(a -> attachment = Optional.of(a));
    plan.newEngine().filter(e -> kept()).ifPresent(e -> engine = Optional.of(e));
    plan.newReplicas().stream().filter(r -> kept()).forEach(r -> replica = Optional.of(r));
    plan.replicas().stream().filter(r -> kept()).forEach(r -> replica = Optional.of(r));
    plan.owners().stream().filter(r -> kept()).forEach(r -> replica = Optional.of(r));
    plan.engine().filter(e -> kept()).ifPresent(this::tell);
    plan.released().stream().filter(r -> kept()).forEach(this::release);
    assertThat(plan.deleted()).as("the only replica is not deleted").isEmpty();
    if (mutant == Mutant.RELEASED_WITH_ITS_NODE && ownerGone) {
      release(replica.orElseThrow());
    }
    if (plan.disposal()) {
      dispose();
    }
    if (kept()) {
      volume = volume.map(v -> v.withStatus(plan.status()));
    }
  }

  private VolumeView view() {
    List<Replica> replicas = replica.stream().toList();
    return new VolumeView(
        volume.orElseThrow(),
        engine,
        replicas,
        attachment,
        NodeInventory.of(nodeList()),
        replicas,
        Map.of(),
        SnapshotSummary.whole(0),
        VolumeSettings.DEFAULT,
        now);
  }

  private boolean isOwnerGone() {
    return replica
        .filter(Replica::isBeingDeleted)
        .filter(r -> !r.ownerNode().isEmpty() && !nodes.contains(r.ownerNode()))
        .isPresent();
  }

  private void tell(Engine told) {
    long generation = told.metadata().generation() + 1;
    engine = Optional.of(told.withMetadata(told.metadata().withGeneration(generation)));
  }

  private void release(Replica released) {
    replica =
        Optional.of(released.withMetadata(released.metadata().minusFinalizer(Replica.FINALIZER)))
            .filter(r -> !r.isBeingDeleted());
  }

  private void dispose() {
    if (replica.isEmpty() && engine.isEmpty()) {
      volume = Optional.empty();
      return;
    }
    engine = Optional.empty();
    replica =
        replica.map(r -> r.withMetadata(r.metadata().withDeletionTimestamp(Optional.of(now))));
  }

  /** Acts as LostEngineReconciler. */
  private void loseEngine() {
    if (engine.isEmpty()) {
      return;
    }
    EngineStatus status = engine.get().status();
    EngineSpec spec = engine.get().spec();
    boolean lost = silent.contains(status.nodeID()) || !nodes.contains(status.nodeID());
    boolean said =
        status.currentState() == InstanceState.STOPPED && VolumeObserver.isInSync(engine.get());
    boolean awaited =
        spec.desireState() == DesireState.STOPPED
            ? !said
            : !spec.nodeID().equals(status.nodeID())
                && status.currentState() != InstanceState.STOPPED;
    boolean fenced =
        mutant == Mutant.SILENT_IS_CLOSED
            || EngineDeclaration.of(SharedNodes.ENGINE, nodeList()).isFenced();
    if (lost && awaited && fenced && !status.nodeID().isEmpty()) {
      report(status.nodeID(), InstanceState.STOPPED);
    }
  }

  private void report(String node, InstanceState state) {
    Engine present = engine.orElseThrow();
    boolean runs = state == InstanceState.RUNNING;
    engine =
        Optional.of(
            present.withStatus(
                present
                    .status()
                    .withNodeID(node)
                    .withCurrentState(state)
                    .withEndpoint(runs ? "nbd://" + node + "/v" : "")
                    .withReplicaModeMap(
                        runs
                            ? Map.of(replica.orElseThrow().name(), ReplicaMode.RW)
                            : present.status().replicaModeMap())
                    .withObservedGeneration(present.metadata().generation())));
  }

  /** Acts as EngineReconciler: claims before it opens, and closes a volume that it does not own. */
  private void engineOn(String node) {
    if (silent.contains(node)) {
      return;
    }
    boolean wanted =
        engine
            .filter(e -> e.spec().desireState() == DesireState.RUNNING)
            .filter(e -> e.spec().nodeID().equals(node))
            .isPresent();
    if (!wanted) {
      close(node);
      engine
          .filter(e -> e.status().nodeID().equals(node))
          .ifPresent(e -> report(node, InstanceState.STOPPED));
      return;
    }
    EngineStatus status = engine.orElseThrow().status();
    boolean mine = status.nodeID().equals(node) || status.currentState() == InstanceState.STOPPED;
    if (mine && kept()) {
      engine = engine.map(e -> e.withMetadata(e.metadata().plusFinalizer(Engine.FINALIZER)));
      report(node, InstanceState.STARTING);
      if (open(node) && kept()) {
        report(node, InstanceState.RUNNING);
      }
    }
  }

  private boolean open(String node) {
    boolean locks = mutant != Mutant.OPENS_WITHOUT_LOCK && !(mixed && node.equals("n1"));
    boolean superseded = open.containsKey(node) && locks && open.get(node) != epoch;
    if (superseded) {
      open.remove(node);
    }
    if (open.containsKey(node)) {
      return true;
    }
    boolean held = !holder.isEmpty() && !holder.equals(node) && isHeard(holder);
    if (!data || (locks && held)) {
      return false;
    }
    if (locks) {
      holder = node;
      epoch++;
    }
    open.put(node, locks ? epoch : WITHOUT_LOCK);
    return true;
  }

  private boolean isHeard(String node) {
    return nodes.contains(node) && !silent.contains(node);
  }

  private void close(String node) {
    Long closed = open.remove(node);
    if (closed != null && holder.equals(node) && closed == epoch) {
      holder = "";
    }
  }

  /** Acts as ReplicaReconciler on the owner. */
  private void replicaOn(String node) {
    if (silent.contains(node) || replica.filter(r -> r.ownerNode().equals(node)).isEmpty()) {
      return;
    }
    Replica present = replica.get();
    VolumeState state = volume.map(v -> v.status().state()).orElse(VolumeState.DELETING);
    boolean unused = state == VolumeState.CREATING || state == VolumeState.DELETING;
    if (present.isBeingDeleted() && (present.isDisposable() || unused)) {
      if (open.isEmpty()) {
        data = false;
        release(present);
      }
      return;
    }
    data = true;
    InstanceState shown =
        present.spec().desireState() == DesireState.RUNNING
            ? InstanceState.RUNNING
            : InstanceState.STOPPED;
    replica =
        Optional.of(
            present.withStatus(present.status().withProvisioned(true).withCurrentState(shown)));
  }

  /** Ends all faults: all nodes report and have one version, and no write is lost. */
  private void calm() {
    silent.clear();
    if (mixed) {
      open.remove("n1");
      mixed = false;
    }
    lossy = false;
  }

  private void rounds(int count) {
    for (int i = 0; i < count; i++) {
      now = now.plus(Duration.ofSeconds(1));
      plan();
      loseEngine();
      for (String node : List.copyOf(nodes)) {
        engineOn(node);
        replicaOn(node);
      }
      check();
    }
  }

  /** Checks that the volume reaches each requested state once all faults have ended. */
  void converge() {
    calm();
    want("");
    rounds(30);
    String node = any();
    want(node);
    rounds(30);
    assertThat(volume.orElseThrow().status().state()).isEqualTo(VolumeState.ATTACHED);
    assertThat(open.keySet()).containsExactly(node);
    want("");
    rounds(30);
    assertThat(open).isEmpty();
    volume = volume.map(v -> v.withMetadata(v.metadata().withDeletionTimestamp(Optional.of(now))));
    // The owner is removed while its replica waits to be deleted.
    String owner = replica.orElseThrow().status().ownerID();
    for (int i = 0; i < 10 && replica.filter(r -> !r.isBeingDeleted()).isPresent(); i++) {
      plan();
    }
    if (nodes.size() > 1) {
      nodes.remove(owner);
    }
    rounds(30);
    assertThat(volume).as("the volume is gone").isEmpty();
    assertThat(data).as("its data too").isFalse();
  }
}
