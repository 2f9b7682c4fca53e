package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolStep.Kind;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides what a node does next about the pool of a shared group. Every node asks for itself, after
 * each step, with the record that it then reads; so the steps of a move are made by the nodes that
 * they concern, in this order:
 *
 * <pre>
 *   recorded before it         step                                       a crash after it
 *   HOLDING                    all nodes: RELEASE, then not connected     repeats; can return
 *   MOVING                     old node: DEACTIVATE                       forward only
 *   MOVING                     wanted node: ACTIVATE                      repeats
 *   SERVING, next generation   active node: EXPORT; all nodes: CONNECT    repeats
 * </pre>
 *
 * A node that does not answer is not waited for when it does not hold the pool's lock: it reaches
 * the pool by an export only, which refuses its requests once it is withdrawn, and they are sent
 * again. When the active node is lost, the others stay connected: their requests wait for the
 * exports of the next generation, because nothing above a dead connection can be suspended.
 *
 * <p>A process that would have to connect a device a second time to the same export records the
 * next generation instead, as {@link NodeDevices} says: after its start, after a connection was
 * lost, and when a blob has grown. So does an exporter after its start, because its clients then
 * connect again. A node does this while the pool is held too, before it releases its devices.
 *
 * <p>A pure function.
 */
final class PoolDecider {
  /**
   * State of a pool on one node, as the node sees it.
   *
   * @param self name of the node
   * @param active whether the pool has devices on this host, which then holds its lock
   * @param exports blobs that this process exports in the pool's generation
   * @param devices what this process knows of the devices of the node
   * @param lost nodes that do not answer and do not hold the lock of the pool
   */
  record NodeView(
      String self,
      boolean active,
      Map<String, PoolAddress> exports,
      NodeDevices devices,
      Set<String> lost) {
    NodeView {
      exports = Map.copyOf(exports);
      lost = Set.copyOf(lost);
    }
  }

  private final PoolRecord pool;
  private final PoolPlace place;
  private final NodeView view;
  private final String self;

  private PoolDecider(PoolRecord pool, NodeView view) {
    this.pool = pool;
    this.place = pool.place();
    this.view = view;
    this.self = view.self();
  }

  /** Returns the next step of the node that the view names. */
  static PoolStep next(PoolRecord pool, NodeView view) {
    PoolDecider decider = new PoolDecider(pool, view);
    return switch (pool.place().phase()) {
      case IDLE -> decider.idle();
      case SERVING -> decider.serving();
      case HOLDING -> decider.holding();
      case MOVING -> decider.moving();
    };
  }

  private boolean isLost(String node) {
    return view.lost().contains(node);
  }

  private boolean isUsedHere() {
    return !pool.attachedOn(self).isEmpty();
  }

  private PoolStep idle() {
    if (view.active()) {
      return PoolStep.of(Kind.DEACTIVATE);
    }
    return isUsedHere() ? PoolStep.record(place.moving(self)) : PoolStep.of(Kind.DONE);
  }

  private PoolStep holding() {
    if (isLost(place.activeOn())) {
      return PoolStep.record(place.moving(place.wantedOn()));
    }
    if (isLost(place.wantedOn())) {
      return PoolStep.record(place.returned());
    }
    Optional<String> connected =
        place.connected().keySet().stream()
            .filter(node -> !node.equals(self) && !isLost(node))
            .sorted()
            .findFirst();
    boolean decides = self.equals(place.activeOn());
    if (decides && connected.isPresent()) { // they end their requests by the exports
      Optional<PoolStep> exported = exported();
      if (exported.isPresent()) {
        return exported.get();
      }
    }
    if (place.connection(self) != 0) {
      return released();
    }
    if (!decides || connected.isPresent()) {
      return PoolStep.waitFor(connected.orElse(place.activeOn()));
    }
    return PoolStep.record(place.moving(place.wantedOn()));
  }

  /** Returns the step that is missing until all exports are there and recorded. */
  private Optional<PoolStep> exported() {
    if (!view.active()) {
      return Optional.of(PoolStep.of(Kind.ACTIVATE));
    }
    Set<String> wanted = pool.attachedBeside(self);
    boolean ended =
        place.exports().entrySet().stream()
            .anyMatch(
                export ->
                    wanted.contains(export.getKey())
                        && !export.getValue().equals(view.exports().get(export.getKey())));
    if (ended) { // with an earlier process, to which other nodes have connected
      return Optional.of(PoolStep.record(place.renewed()));
    }
    if (!view.exports().keySet().equals(wanted)) {
      return Optional.of(PoolStep.of(Kind.EXPORT));
    }
    return view.exports().equals(place.exports())
        ? Optional.empty()
        : Optional.of(PoolStep.record(place.exporting(view.exports())));
  }

  /**
   * Releases the devices of this node, then records it. Those whose connection may be lost are
   * connected first, because nothing above a lost connection can be suspended.
   */
  private PoolStep released() {
    if (view.devices().generation() == NodeDevices.RELEASED) {
      return PoolStep.record(place.released(self));
    }
    Set<String> used = pool.usedOn(self);
    boolean known =
        used.stream().allMatch(name -> view.devices().isConnected(name, place.generation()));
    return known ? PoolStep.of(Kind.RELEASE) : reached(used);
  }

  /** Connects the devices of this node when the pool, or its exports, are there. */
  private PoolStep reached(Set<String> used) {
    if (self.equals(place.activeOn())) {
      return exported().orElseGet(() -> connected(used));
    }
    return place.exports().keySet().containsAll(used)
        ? connected(used)
        : PoolStep.waitFor(place.activeOn());
  }

  private PoolStep moving() {
    boolean wanted = self.equals(place.wantedOn());
    if (!wanted && view.active()) {
      return PoolStep.of(Kind.DEACTIVATE);
    }
    if (wanted) {
      return view.active() ? PoolStep.record(place.active(self)) : PoolStep.of(Kind.ACTIVATE);
    }
    return isLost(place.wantedOn()) && isUsedHere()
        ? PoolStep.record(place.moving(self))
        : PoolStep.waitFor(place.wantedOn());
  }

  private PoolStep serving() {
    if (self.equals(place.activeOn())) {
      return servingHere();
    }
    if (view.active()) {
      return PoolStep.of(Kind.DEACTIVATE);
    }
    Set<String> used = pool.usedOn(self);
    if (used.isEmpty()) {
      return place.connection(self) != 0 ? released() : PoolStep.of(Kind.DONE);
    }
    if (isLost(place.activeOn())) {
      return isUsedHere()
          ? PoolStep.record(place.moving(self))
          : PoolStep.waitFor(place.activeOn());
    }
    return reached(used);
  }

  private PoolStep servingHere() {
    if (pool.users().isEmpty()) {
      return PoolStep.record(place.idle()); // before it is inactive: a user may come
    }
    Optional<PoolStep> exported = exported();
    if (exported.isPresent()) {
      return exported.get();
    }
    Set<String> used = pool.usedOn(self);
    if (!used.isEmpty()) {
      return connected(used);
    }
    return place.connection(self) != 0 ? released() : PoolStep.of(Kind.DONE);
  }

  /**
   * Records that the devices of this node may point at the generation, then points them there. A
   * device that would be connected a second time needs the next generation.
   */
  private PoolStep connected(Set<String> used) {
    long generation = place.generation();
    if (place.connection(self) != generation) {
      return PoolStep.record(place.connected(self, generation));
    }
    List<String> open = used.stream().filter(name -> !isServing(name)).toList();
    if (open.isEmpty()) {
      return PoolStep.of(Kind.DONE);
    }
    boolean once = open.stream().allMatch(name -> view.devices().mayConnect(name, generation));
    return once ? PoolStep.of(Kind.CONNECT) : PoolStep.record(place.renewed());
  }

  private boolean isServing(String name) {
    return pool.blob(name)
        .filter(blob -> view.devices().serves(blob, place.generation()))
        .isPresent();
  }
}
