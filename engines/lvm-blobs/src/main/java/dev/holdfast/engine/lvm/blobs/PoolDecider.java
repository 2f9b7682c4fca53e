package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolStep.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

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
 * <p>A pure function.
 */
final class PoolDecider {
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
    if (!view.exports().keySet().equals(pool.attachedBeside(self))) {
      return Optional.of(PoolStep.of(Kind.EXPORT));
    }
    return view.exports().equals(place.exports())
        ? Optional.empty()
        : Optional.of(PoolStep.record(place.exporting(view.exports())));
  }

  /** Releases the devices of this node, then records it. */
  private PoolStep released() {
    return view.generation() == RELEASED
        ? PoolStep.record(place.released(self))
        : PoolStep.of(Kind.RELEASE);
  }

  /** Generation of devices that this process has released. */
  static final long RELEASED = -1;

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
    if (!isUsedHere()) {
      return place.connection(self) != 0 ? released() : PoolStep.of(Kind.DONE);
    }
    if (isLost(place.activeOn())) {
      return PoolStep.record(place.moving(self));
    }
    if (!place.exports().keySet().containsAll(pool.attachedOn(self))) {
      return PoolStep.waitFor(place.activeOn());
    }
    return connected();
  }

  private PoolStep servingHere() {
    if (pool.users().isEmpty()) {
      return PoolStep.record(place.idle()); // before it is inactive: a user may come
    }
    Optional<PoolStep> exported = exported();
    if (exported.isPresent()) {
      return exported.get();
    }
    if (isUsedHere()) {
      return connected();
    }
    return place.connection(self) != 0 ? released() : PoolStep.of(Kind.DONE);
  }

  /** Records that the devices of this node may point at the generation, then points them there. */
  private PoolStep connected() {
    if (place.connection(self) != place.generation()) {
      return PoolStep.record(place.connected(self, place.generation()));
    }
    boolean done =
        view.generation() == place.generation() && view.devices().equals(wantedDevices());
    return PoolStep.of(done ? Kind.DONE : Kind.CONNECT);
  }

  private Map<String, Long> wantedDevices() {
    Map<String, Long> wanted = new HashMap<>();
    for (String name : pool.attachedOn(self)) {
      wanted.put(name, pool.blob(name).map(RecordedBlob::sizeBytes).orElse(0L));
    }
    return wanted;
  }
}
