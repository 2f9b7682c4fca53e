package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Place of a shared group's pool: the node on which it is active, and the nodes that use it.
 *
 * <pre>
 *   IDLE ──► MOVING ──► SERVING ──► HOLDING ──► MOVING ──► SERVING (next generation)
 *    ▲                   │    ▲        │
 *    └── no attachment ──┘    └────────┘ returned: before MOVING only
 *
 *   SERVING, HOLDING ──► the same phase in the next generation: renewed
 * </pre>
 *
 * The record says which node may activate the pool. Whether it is active there only the host knows,
 * because the lock on the disk decides.
 *
 * @param activeOn node that may have the pool active, empty while none is named
 * @param wantedOn node that is to have it next, empty for none
 * @param phase of the pool
 * @param generation number of the exports and of the connections to them, raised by each activation
 *     and by each renewal; 0 before the first activation
 * @param connected generation to which the devices of each node point; written before they point
 *     there, and removed after they point nowhere; while the pool moves, also for the node that has
 *     had it
 * @param exports addresses of the exported blobs in this generation
 */
record PoolPlace(
    String activeOn,
    String wantedOn,
    Phase phase,
    long generation,
    Map<String, Long> connected,
    Map<String, PoolAddress> exports) {
  /** Phase of a pool; a record has its name in lower case. */
  enum Phase {
    /** Active nowhere; each node may claim it. */
    IDLE,
    /** Active on a node; requests pass. */
    SERVING,
    /** To be moved: requests wait, the devices of all nodes are released. Can return. */
    HOLDING,
    /** Released: the wanted node activates it. Cannot return. */
    MOVING
  }

  /** Place of a pool that was never activated, and of pools in groups of one node. */
  static final PoolPlace NONE = new PoolPlace("", "", Phase.IDLE, 0, Map.of(), Map.of());

  PoolPlace {
    Objects.requireNonNull(activeOn, "activeOn");
    Objects.requireNonNull(wantedOn, "wantedOn");
    Objects.requireNonNull(phase, "phase");
    connected = Map.copyOf(connected);
    exports = Map.copyOf(exports);
  }

  /** Returns the place of a pool that no node uses any more. */
  PoolPlace idle() {
    return new PoolPlace("", "", Phase.IDLE, generation, Map.of(), Map.of());
  }

  /** Returns the place of a pool whose requests wait, because another node is to have it. */
  PoolPlace holding(String next) {
    return new PoolPlace(activeOn, next, Phase.HOLDING, generation, connected, exports);
  }

  /** Returns the place of a pool that stays where it is. */
  PoolPlace returned() {
    return new PoolPlace(activeOn, "", Phase.SERVING, generation, connected, exports);
  }

  /**
   * Returns the place of a pool that a node is to activate. The node that has had it stays among
   * the connected ones, so that other nodes let it deactivate the pool.
   */
  PoolPlace moving(String next) {
    PoolPlace former = activeOn.isEmpty() ? this : connected(activeOn, generation);
    return new PoolPlace("", next, Phase.MOVING, generation, former.connected, Map.of());
  }

  /** Returns the place of a pool that was activated on a node. */
  PoolPlace active(String node) {
    return new PoolPlace(node, "", Phase.SERVING, generation + 1, connected, Map.of());
  }

  /**
   * Returns the place in the next generation. The active node ends the requests of the present
   * exports, and all nodes connect their devices again.
   */
  PoolPlace renewed() {
    return new PoolPlace(activeOn, wantedOn, phase, generation + 1, connected, Map.of());
  }

  /** Returns the place with a node whose devices point at a generation. */
  PoolPlace connected(String node, long to) {
    Map<String, Long> next = new TreeMap<>(connected);
    next.put(node, to);
    return new PoolPlace(activeOn, wantedOn, phase, generation, next, exports);
  }

  /** Returns the place with a node whose devices point nowhere. */
  PoolPlace released(String node) {
    Map<String, Long> next = new TreeMap<>(connected);
    next.remove(node);
    return new PoolPlace(activeOn, wantedOn, phase, generation, next, exports);
  }

  /** Returns the place with other exports. */
  PoolPlace exporting(Map<String, PoolAddress> addresses) {
    return new PoolPlace(activeOn, wantedOn, phase, generation, connected, addresses);
  }

  /** Returns the generation to which the devices of a node may point, 0 for none. */
  long connection(String node) {
    return connected.getOrDefault(node, 0L);
  }
}
