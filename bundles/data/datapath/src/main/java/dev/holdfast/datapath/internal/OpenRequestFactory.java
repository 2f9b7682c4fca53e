package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.CurrentStore;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Creates the requests to open one engine, from the present state of the store, because replicas
 * change between two openings. Does not use a cache: a cache that lacks a replica would omit it
 * permanently.
 */
final class OpenRequestFactory implements OpenParameters.RequestSource {
  private final CurrentStore store;
  private final InstalledPlugins plugins;
  private final String node;
  private final String engine;
  private final String uid;

  /**
   * The salvage of the last request, which must be carried out once; used only by the path's steps.
   */
  private SalvageRequest carried = SalvageRequest.NONE;

  /** Copy plan of the store when the volume was open and no earlier opening could change it. */
  private Optional<RegionCopyPlan> copying = Optional.empty();

  OpenRequestFactory(CurrentStore store, InstalledPlugins plugins, String node, Engine engine) {
    this.store = store;
    this.plugins = plugins;
    this.node = node;
    this.engine = engine.name();
    this.uid = engine.metadata().uid();
  }

  /** Checks that the engine could be opened now; see {@link #replicas}. */
  void requireReplicas(Engine present) throws StorageException {
    var unused = replicas(present);
  }

  /**
   * Finds the replicas of an opening.
   *
   * @throws StorageException BUSY while some are still being created; UNREACHABLE when none exists;
   *     UNSUPPORTED when this engine cannot reach the place of one
   */
  private List<ReplicaLocation> replicas(Engine present) throws StorageException {
    String volume = present.spec().volume();
    List<Replica> all =
        store.get().list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume)).items();
    boolean openedBefore = present.status().membership().generation() > 0;
    ReplicaPlaces places =
        new ReplicaPlaces(
            plugins.engine(present.spec().dataEngine()),
            node,
            name -> store.get().get(Node.KIND, name));
    List<ReplicaLocation> found =
        ReplicaSelection.of(all, openedBefore, places).requireReady(volume);
    requireReachable(present, found);
    return found;
  }

  private void requireReachable(Engine present, List<ReplicaLocation> replicas)
      throws StorageException {
    String name = present.spec().dataEngine();
    boolean remote =
        plugins
            .engine(name)
            .filter(e -> !e.capabilities().contains(EngineCapability.REMOTE_REPLICAS))
            .isEmpty();
    Optional<ReplicaLocation> elsewhere =
        replicas.stream().filter(replica -> !replica.nodeId().equals(node)).findFirst();
    if (!remote && elsewhere.isPresent()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + present.spec().volume()
              + ": engine "
              + name
              + " cannot reach replica "
              + elsewhere.get().replica()
              + " from node "
              + node
              + ": attach the volume to node "
              + elsewhere.get().nodeId());
    }
  }

  @Override
  public OpenRequest request(EngineListener listener) throws StorageException {
    Engine present = stored();
    SalvageRequest salvage = present.spec().salvage();
    boolean isNew = !salvage.isEmpty() && !salvage.id().equals(present.status().salvaged());
    carried = isNew ? salvage : SalvageRequest.NONE;
    return new OpenRequest(
        present.spec().volume(),
        size(present).bytes(),
        node,
        replicas(present),
        new StoreMembershipRegister(store, node, engine, uid),
        listener,
        new OpenOptions(
            Set.copyOf(carried.replicas()),
            present.spec().flushedOnly(),
            OpenOptions.DEFAULT.replicaTimeout()));
  }

  /** A growing volume is opened with its former size, and grows when it is open. */
  private static Quantity size(Engine engine) {
    EngineStatus status = engine.status();
    return status.currentSize().bytes() > 0 ? status.currentSize() : engine.spec().size();
  }

  /**
   * Records that a salvage was carried out. Called before the first request is served: a repeated
   * salvage would restore data that was overwritten since.
   */
  @Override
  public void opened() throws StorageException {
    copying = toBeCopied(stored().spec().volume());
    if (!carried.isEmpty()) {
      EngineReporter.report(
          store.get(),
          engine,
          stored -> stored.withStatus(stored.status().withSalvaged(carried.id())));
    }
  }

  /** Regions may be recorded and changed until the previous opening is fenced. */
  private Optional<RegionCopyPlan> toBeCopied(String volume) throws StorageException {
    Optional<Volume> lacking = store.get().get(Volume.KIND, volume).filter(Volume::awaitsContent);
    if (lacking.isPresent() && !lacking.get().isBeingCopied()) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + " waits for the source of its first content");
    }
    return lacking.flatMap(Volume::contentProgress).map(RegionCopyPlan::of);
  }

  @Override
  public Optional<RegionCopyPlan> copying() {
    return copying;
  }

  private Engine stored() throws StorageException {
    return store
        .get()
        .get(Engine.KIND, engine)
        .filter(found -> found.metadata().uid().equals(uid))
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND, "engine " + engine + " with uid " + uid + " is gone"));
  }
}
