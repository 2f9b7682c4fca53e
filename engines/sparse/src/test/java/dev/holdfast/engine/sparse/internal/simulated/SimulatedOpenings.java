package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** Opens the volume on any node, and rebuilds replicas. */
final class SimulatedOpenings {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final SimulatedCluster cluster;
  private final SimulatedExcuses excuses;
  private final SimulatedClients clients;
  private final SimulatedStructure structure;
  private final SimulatedRot rot;
  private final SimulatedSalvage salvages = new SimulatedSalvage();
  private final List<SimulatedClients.Served> served = new ArrayList<>();
  private final Scheduler scheduler;
  private RebuildOptions pace = RebuildOptions.UNLIMITED;
  private int underWay;
  private final List<Opening> running = new ArrayList<>();
  private int count;
  private boolean healing;
  private String lastRefusal = "";

  SimulatedOpenings(
      SimulatedCluster cluster,
      SimulatedExcuses excuses,
      SimulatedClients clients,
      SimulatedStructure structure,
      SimulatedRot rot) {
    this.cluster = cluster;
    this.excuses = excuses;
    this.clients = clients;
    this.structure = structure;
    this.rot = rot;
    this.scheduler = cluster.scheduler();
  }

  /** A running opening. */
  private record Opening(SimulatedNode node, SparseEngine engine) {
    // An opening of a former bundle may end later. The next bundle does not wait for it.
    boolean counts() {
      return node.engine() == engine;
    }
  }

  /** Returns the number of openings that served. */
  int count() {
    return count;
  }

  /** Returns whether no opening is in progress. */
  boolean idle() {
    return underWay == 0 && running.stream().noneMatch(Opening::counts);
  }

  String lastRefusal() {
    return lastRefusal;
  }

  /** Returns the engines that serve, or still believe that they serve. */
  List<SimulatedClients.Served> served() {
    served.removeIf(one -> !one.alive());
    return served;
  }

  /** Replaces the bundle of a node's engine, which closes its volumes. */
  void replaceBundle(SimulatedNode node) {
    if (node.engine() != null && !node.replacing()) {
      served.stream().filter(one -> one.node() == node).forEach(SimulatedClients.Served::closes);
      underWay = 0;
      node.replaceBundle();
    }
  }

  /** Sets the speed of rebuilds. */
  void pace(RebuildOptions options) {
    pace = options;
  }

  /** Ends all faults; the serving engine is stopped. */
  void heal() {
    healing = true;
    pace = RebuildOptions.UNLIMITED;
    served.clear();
    underWay = 0;
  }

  /** Opens it where a process runs. */
  void open(SimulatedNode node) {
    open(node, Set.of());
  }

  /**
   * Opens it where a process runs.
   *
   * @param salvage the salvaged replicas; empty without a salvage
   */
  void open(SimulatedNode node, Set<String> salvage) {
    SparseEngine engine = node.engine();
    if (engine == null) {
      return;
    }
    underWay++;
    scheduler.start(node.process(), () -> openNow(node, engine, salvage));
    // An opening that dies with its process never ends. While all faults are healed, no process
    // dies. Then a second opening would take over from the first, the third from the second, and so
    // on without end.
    scheduler.later(
        Scheduler.WORLD, 10_000 * SimulatedNetwork.MILLI, () -> underWay = healing ? underWay : 0);
  }

  /** Receives the events of replicas and of the volume. */
  private final class Listener implements EngineListener {
    private SimulatedClients.Served opened;

    @Override
    public void replicaChanged(String replica, MemberMode mode, String reason) {
      scheduler.note(mode.name().hashCode());
      if (mode == MemberMode.WO) {
        rot.spreads();
      }
      if (mode == MemberMode.RW && opened != null) {
        opened.current(replica, scheduler.now());
      }
    }

    @Override
    public void failed(StorageException cause) {
      if (opened != null) {
        opened.ended();
        if (!opened.process().dead() && !excuses.excused(opened, cause)) {
          throw new Violation("the volume failed: " + cause.getMessage());
        }
      }
    }
  }

  private void openNow(SimulatedNode node, SparseEngine engine, Set<String> salvage) {
    SimulatedRegister.View view = cluster.register().of(node.name());
    long begun = scheduler.now();
    Listener listener = new Listener();
    Scheduler.Incarnation process = Scheduler.process();
    rot.spreads();
    Opening opening = new Opening(node, engine);
    running.add(opening);
    if (!salvage.isEmpty()) {
      salvages.begins(process);
    }
    try {
      OpenVolume volume =
          engine.open(
              new OpenRequest(
                  SimulatedCluster.VOLUME,
                  SimulatedClients.SIZE,
                  node.name(),
                  cluster.nodes().stream().map(SimulatedNode::location).toList(),
                  view,
                  listener,
                  new OpenOptions(salvage, false, TIMEOUT)));
      count++;
      listener.opened = serves(node, volume, view, begun, !salvage.isEmpty());
      served.add(listener.opened);
      if (node.replacing() || node.engine() != engine) {
        listener.opened.closes();
      }
      for (int block = 0; block < SimulatedClients.BLOCKS; block++) {
        clients.read(listener.opened, block);
      }
    } catch (StorageException e) {
      lastRefusal = e.getMessage();
    } finally {
      running.remove(opening);
      salvages.ends(process);
    }
    underWay = 0;
  }

  private SimulatedClients.Served serves(
      SimulatedNode node,
      OpenVolume volume,
      SimulatedRegister.View view,
      long begun,
      boolean salvaged) {
    SimulatedClients.Served now =
        new SimulatedClients.Served(node, volume, (int) view.generation(), begun);
    if (clients.later(now)) {
      int words = salvages.taken();
      boolean ofMembers =
          salvaged && words == 1 && cluster.nodes().size() <= 2 && membersOnly(volume, view);
      clients.serves(now, words > 0, ofMembers);
      if (words > 0 && !ofMembers) {
        structure.salvaged();
      }
      structure.serves();
    }
    return now;
  }

  // With two replicas only the register decides the members.
  private boolean membersOnly(OpenVolume volume, SimulatedRegister.View view) {
    return volume.replicas().entrySet().stream()
        .filter(replica -> replica.getValue() == MemberMode.RW)
        .map(replica -> cluster.byReplica().get(replica.getKey()))
        .allMatch(node -> SimulatedExcuses.named(view.membersBefore(), node));
  }

  /** Starts to rebuild every replica that is not current. */
  void rebuildAll() {
    SimulatedClients.Served latest = clients.latest();
    if (latest == null || !latest.alive()) {
      return;
    }
    // In the order of names: an unmodifiable map has another order in each process.
    new TreeMap<>(latest.volume().replicas())
        .forEach(
            (name, mode) -> {
              if (mode == MemberMode.ERR) {
                scheduler.start(latest.node().process(), () -> rebuild(latest, name));
              }
            });
  }

  private void rebuild(SimulatedClients.Served latest, String name) {
    rot.spreads();
    try {
      Rebuild begun =
          ((RebuildableVolume) latest.volume())
              .rebuild(cluster.byReplica().get(name).location(), pace);
      scheduler.note(begun.totalBytes());
    } catch (StorageException e) {
      lastRefusal = e.getMessage();
      // An engine that was replaced or stopped gives no information about the replica.
      boolean serves = latest == clients.latest() && latest.alive();
      if (healing && serves && e.code() == ErrorCode.CONFLICT) {
        cluster.renew(name);
      }
    }
  }
}
