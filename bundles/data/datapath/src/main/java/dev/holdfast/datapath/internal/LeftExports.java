package dev.holdfast.datapath.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.CallFailures;
import dev.holdfast.datapath.ConditionReasons;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.datapath.internal.condition.ServingCondition;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.LastingExportEngine;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports that an earlier process of this node left serving. Before this node uses an Engine that
 * is not open here, it searches for such exports. It withdraws those that it may no longer serve,
 * and the next opening adopts the others. Thread-safe.
 */
final class LeftExports {
  private static final Logger LOG = LoggerFactory.getLogger(LeftExports.class);

  private final InstalledPlugins plugins;
  private final Executor threads;
  private final Map<String, Search> searches = new ConcurrentHashMap<>();

  /** Knowledge about the exports of one Engine. */
  enum Finding {
    /** The search is running. */
    PENDING,
    /** Unknown as long as the engine is absent or fails. */
    UNKNOWN,
    /** No export serves the volume. */
    NONE,
    /** An export serves the volume, and will be adopted. */
    SERVING
  }

  /** A search by the engine that was installed, with whether the Engine is wanted here. */
  private record Search(
      WeakReference<EngineProvider> by, boolean wanted, CompletableFuture<Boolean> serving) {}

  /**
   * A volume that an earlier process left serving.
   *
   * @param by the engine that left it
   * @param replicas of the volume on this node
   */
  record LeftVolume(LastingExportEngine by, List<ReplicaLocation> replicas, long generation) {
    /** Ends the export: after the return no host reaches the volume. */
    void withdraw() throws StorageException {
      for (ReplicaLocation replica : replicas) {
        by.withdrawLeft(replica);
      }
    }
  }

  LeftExports(InstalledPlugins plugins, Executor threads) {
    this.plugins = plugins;
    this.threads = threads;
  }

  /** Returns the engine with the ability, if it declares it. */
  static Optional<LastingExportEngine> lasting(EngineProvider engine) {
    return engine.capabilities().contains(EngineCapability.LASTING_EXPORT)
            && engine instanceof LastingExportEngine able
        ? Optional.of(able)
        : Optional.empty();
  }

  /**
   * Returns the exports that an earlier process left of the volume of a request; empty when it left
   * none.
   */
  static Optional<LeftVolume> left(EngineProvider engine, OpenRequest request)
      throws StorageException {
    Optional<LastingExportEngine> able = lasting(engine);
    return able.isEmpty()
        ? Optional.empty()
        : left(
            able.get(),
            request.replicas().stream()
                .filter(replica -> replica.nodeId().equals(request.nodeId()))
                .toList());
  }

  private static Optional<LeftVolume> left(LastingExportEngine by, List<ReplicaLocation> replicas)
      throws StorageException {
    for (ReplicaLocation replica : replicas) {
      var generation = by.leftServing(replica);
      if (generation.isPresent()) {
        return Optional.of(new LeftVolume(by, replicas, generation.getAsLong()));
      }
    }
    return Optional.empty();
  }

  /**
   * Forgets the search for an Engine whose volume is open here, because the result is out of date.
   */
  void forget(String engine) {
    searches.remove(engine);
  }

  /**
   * Searches for exports of an Engine that is not open in this process, and withdraws those that
   * this node may not serve.
   *
   * @return present knowledge; after PENDING and UNKNOWN the caller calls again
   */
  Finding settle(Engine engine, ReconcileContext context) throws StorageException {
    boolean wanted = EngineStep.wanted(engine, context.nodeName());
    Optional<EngineProvider> installed = plugins.engine(engine.spec().dataEngine());
    if (installed.isEmpty()) {
      return wanted ? Finding.NONE : absent(engine, context);
    }
    Optional<LastingExportEngine> able = lasting(installed.get());
    if (able.isEmpty()) {
      return Finding.NONE;
    }
    Search search =
        searches.compute(
            engine.name(),
            (name, before) ->
                before != null && isValid(before, installed.get(), wanted)
                    ? before
                    : search(engine, able.get(), wanted, context));
    return search.serving().isDone() ? ended(engine, search, context) : Finding.PENDING;
  }

  /** Wait for a running search, because calls about one volume must not overlap. */
  private static boolean isValid(Search search, EngineProvider by, boolean wanted) {
    boolean ended = search.serving().isDone();
    boolean serving =
        ended && !search.serving().isCompletedExceptionally() && search.serving().join();
    return !ended || (search.by().refersTo(by) && (search.wanted() == wanted || !serving));
  }

  private Search search(
      Engine engine, LastingExportEngine by, boolean wanted, ReconcileContext context) {
    ResourceStore store = context.store();
    String node = context.nodeName();
    CompletableFuture<Boolean> serving =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return searched(engine, by, wanted, store, node);
              } catch (StorageException e) {
                throw new CompletionException(e);
              }
            },
            threads);
    return new Search(new WeakReference<>(by), wanted, serving);
  }

  private static boolean searched(
      Engine engine, LastingExportEngine by, boolean wanted, ResourceStore store, String node)
      throws StorageException {
    Optional<LeftVolume> left = left(by, replicas(engine, by, store, node));
    if (left.isPresent() && !wanted) {
      left.get().withdraw();
      LOG.info(
          "engine {}: withdrew the export of generation {} that an earlier process left",
          engine.name(),
          left.get().generation());
    }
    return left.isPresent() && wanted;
  }

  private static List<ReplicaLocation> replicas(
      Engine engine, EngineProvider by, ResourceStore store, String node) throws StorageException {
    ReplicaPlaces places =
        new ReplicaPlaces(Optional.of(by), node, name -> store.get(Node.KIND, name));
    LabelSelector ofVolume = LabelSelector.label(Volume.LABEL, engine.spec().volume());
    List<ReplicaLocation> here = new ArrayList<>();
    for (Replica replica : store.list(Replica.KIND, ofVolume).items()) {
      if (replica.wasProvisioned() && isHere(replica, store, node)) {
        here.add(places.of(replica));
      }
    }
    return here;
  }

  private static boolean isHere(Replica replica, ResourceStore store, String node)
      throws StorageException {
    return replica.isOnSharedDisk()
        ? store.get(Node.KIND, node).flatMap(replica::diskOn).isPresent()
        : replica.spec().nodeID().equals(node);
  }

  private Finding ended(Engine engine, Search search, ReconcileContext context)
      throws StorageException {
    try {
      return search.serving().join() ? Finding.SERVING : Finding.NONE;
    } catch (CompletionException e) {
      searches.remove(engine.name(), search);
      StorageException why = CallFailures.of("engine " + engine.name(), e);
      LOG.warn(
          "engine {}: could not withdraw the exports of an earlier process: {}",
          engine.name(),
          why.getMessage());
      notWithdrawn(engine, ConditionReasons.of(why.code()), why.getMessage(), context);
      return Finding.UNKNOWN;
    }
  }

  /** An engine whose bundle is absent may still serve hosts. */
  private Finding absent(Engine engine, ReconcileContext context) throws StorageException {
    boolean here =
        context
            .list(Replica.KIND, LabelSelector.label(Volume.LABEL, engine.spec().volume()))
            .stream()
            .anyMatch(replica -> replica.spec().nodeID().equals(context.nodeName()));
    boolean ours = engine.status().nodeID().equals(context.nodeName());
    if (ours && ServingCondition.mayServe(engine.status())) {
      notWithdrawn(
          engine,
          "NotInstalled",
          "its export may still serve hosts: install the bundle of engine "
              + engine.spec().dataEngine()
              + " on node "
              + context.nodeName(),
          context);
      return Finding.UNKNOWN;
    }
    return !ours && here && ServingCondition.isKnown(engine) ? Finding.UNKNOWN : Finding.NONE;
  }

  private static void notWithdrawn(
      Engine engine, String reason, String message, ReconcileContext context)
      throws StorageException {
    if (!engine.status().nodeID().equals(context.nodeName())) {
      return;
    }
    var unused =
        EngineReporter.report(
            context.store(),
            engine.name(),
            stored ->
                stored.withStatus(
                    ServingCondition.notWithdrawn(
                        stored.status(), reason, message, context.clock().instant())));
  }
}
