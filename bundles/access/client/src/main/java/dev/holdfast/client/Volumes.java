package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeDeletion;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumePlugins;
import dev.holdfast.resource.volume.VolumeReplica;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Creates, returns, changes and deletes volumes. Thread-safe. */
public final class Volumes {
  /** Time within which a node reports a newly installed plugin. */
  private static final Duration PLUGIN_GRACE = Duration.ofSeconds(5);

  private static final Duration PLACEMENT_WAIT = Duration.ofSeconds(3);

  private final ResourceStore store;
  private final StoreEditor editor;
  private final Duration pluginGrace;

  /** Manages the volumes of a store. */
  public Volumes(ResourceStore store) {
    this(store, PLUGIN_GRACE);
  }

  Volumes(ResourceStore store, Duration pluginGrace) {
    this.store = store;
    this.editor = new StoreEditor(store);
    this.pluginGrace = pluginGrace;
  }

  /**
   * Creates a volume; with waiting, until its parts are provisioned and a copy is complete.
   *
   * @throws StorageException INVALID with the field, also for an engine or a frontend that is
   *     missing on all nodes; ALREADY_EXISTS; NOT_FOUND for the source of a copy; TIMEOUT when its
   *     parts are not provisioned in time (the volume remains)
   */
  public Volume create(VolumeRequest request, Waiting waiting) throws StorageException {
    Volume wanted = wanted(request);
    requirePlugins(wanted);
    requireImage(wanted);
    new DeletedVolumes(store).requireFree(wanted.name());
    Volume created = store.create(wanted);
    return waiting.isWanted() ? awaitReady(created.name(), waiting) : created;
  }

  /** Rejects early what the controllers would reject. */
  private void requireImage(Volume wanted) throws StorageException {
    String name = wanted.spec().backingImage();
    if (name.isEmpty()) {
      return;
    }
    Optional<BackingImage> image = store.get(BackingImage.KIND, name);
    if (image.isEmpty() || image.get().isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "volume "
              + wanted.name()
              + ": image "
              + name
              + (image.isEmpty() ? " does not exist" : " is being deleted")
              + ": see 'holdfast image list'");
    }
    Quantity needed = image.get().status().virtualSize();
    if (needed.compareTo(wanted.spec().size()) > 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + wanted.name()
              + ": spec.size: must be at least "
              + needed
              + ", the size of image "
              + name);
    }
  }

  private void requirePlugins(Volume wanted) throws StorageException {
    List<Node> nodes = store.list(Node.KIND, LabelSelector.ALL).items();
    if (VolumePlugins.missing(wanted.spec(), nodes).isEmpty()) {
      return;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      List<ResourceWait.Follower<Node>> followed = new ArrayList<>();
      for (Node node : nodes) {
        followed.add(observation.follow(Node.KIND, node.name()));
      }
      observation.await(
          "volume " + wanted.name(),
          Waiting.upTo(pluginGrace),
          () -> Optional.of(true).filter(yes -> missing(wanted, followed).isEmpty()),
          () -> "its plugins");
    } catch (StorageException e) {
      throw e.code() == ErrorCode.TIMEOUT
          ? new InvalidResourceException(
              Volume.KIND, wanted.name(), VolumePlugins.missing(wanted.spec(), nodes))
          : e;
    }
  }

  private static List<FieldError> missing(
      Volume wanted, List<ResourceWait.Follower<Node>> followed) {
    return VolumePlugins.missing(
        wanted.spec(), followed.stream().flatMap(node -> node.latest().stream()).toList());
  }

  /**
   * Waits for the controller to place the replicas of a new volume, for at most a few seconds.
   *
   * @return why they could not be placed; empty if they were placed, or if the result is not known
   *     in time
   */
  public Optional<String> placementProblem(Volume created) throws StorageException {
    List<Node> nodes = store.list(Node.KIND, LabelSelector.ALL).items();
    if (nodes.stream().allMatch(node -> node.status().engines().isEmpty())) {
      return Optional.empty();
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(Volume.KIND, created.name());
      return observation.await(
          "volume " + created.name(),
          Waiting.upTo(PLACEMENT_WAIT),
          () -> placement(volume.latest()),
          () -> "its placement");
    } catch (StorageException e) {
      if (e.code() == ErrorCode.TIMEOUT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Returns empty while the result is unknown, otherwise the problem, if any. */
  private static Optional<Optional<String>> placement(Optional<Volume> volume) {
    Optional<Condition> scheduled =
        volume.flatMap(v -> Condition.find(v.status().conditions(), Volume.SCHEDULED_CONDITION));
    if (scheduled.isPresent()) {
      return Optional.of(
          scheduled
              .filter(condition -> condition.status() == Condition.Status.FALSE)
              .map(Condition::message));
    }
    boolean over = volume.isEmpty() || volume.get().status().state() != VolumeState.CREATING;
    return over ? Optional.of(Optional.empty()) : Optional.empty();
  }

  /**
   * Waits until the parts of a volume are provisioned and a copy is complete.
   *
   * @throws StorageException NOT_FOUND when the volume is deleted; TIMEOUT with the reason
   */
  public Volume awaitReady(String name, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(Volume.KIND, name);
      return observation.await(
          "volume " + name,
          waiting,
          () -> ready(name, volume.latest()),
          () -> volume.latest().map(Volumes::whyNotReady).orElse("its deletion"));
    }
  }

  /** Returns the requested volume; a copy is like its source where nothing else is requested. */
  private Volume wanted(VolumeRequest request) throws StorageException {
    if (request.from().isEmpty()) {
      return request.toVolume();
    }
    CloneSource from = request.from().get();
    VolumeSpec source = get(from.volume()).spec();
    Volume wanted = request.likeSource(source, sizeOf(from)).toVolume();
    return wanted.spec().dataEngine().equals(source.dataEngine())
        ? wanted.withSpec(wanted.spec().withEngineOptions(source.engineOptions()))
        : wanted;
  }

  private Quantity sizeOf(CloneSource from) throws StorageException {
    Volume source = get(from.volume());
    if (from.snapshot().isEmpty()) {
      return source.spec().size();
    }
    Snapshot snapshot = new Snapshots(store, Clock.systemUTC()).get(from.volume(), from.snapshot());
    Quantity whole = snapshot.status().restoreSize();
    return whole.bytes() > 0 ? whole : source.spec().size();
  }

  private static Optional<Volume> ready(String name, Optional<Volume> volume)
      throws StorageException {
    if (volume.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, "volume " + name + " was deleted while it was being made");
    }
    return volume.filter(
        v -> v.status().state() != VolumeState.CREATING && (!v.awaitsContent() || isUsable(v)));
  }

  /**
   * Returns whether the volume is usable. A lazily restored volume is usable before its content is
   * complete.
   */
  private static boolean isUsable(Volume volume) {
    return volume.spec().restoreMode() == RestoreMode.LAZY && volume.isUsableWhileCopied();
  }

  private static String whyNotReady(Volume volume) {
    boolean restored = !volume.spec().fromBackup().isEmpty();
    String why =
        restored ? volume.status().restore().message() : volume.status().cloneStatus().message();
    boolean made = volume.status().state() != VolumeState.CREATING;
    if (volume.awaitsContent() && (made || !why.isEmpty())) {
      return (restored ? "its restore" : "its copying") + (why.isEmpty() ? "" : ": " + why);
    }
    return Condition.find(volume.status().conditions(), Volume.SCHEDULED_CONDITION)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> condition.message().isEmpty() ? condition.reason() : condition.message())
        .orElse(volume.status().state().toString());
  }

  /**
   * Requests the expansion of a volume; with waiting, until an attached volume has grown. Its
   * filesystem must then be grown by its own tool.
   *
   * @param size text of the user, for example {@code 2Gi}, greater than the present size
   * @throws StorageException NOT_FOUND; INVALID with the field; TIMEOUT (the expansion continues)
   */
  public Volume expand(String name, String size, Waiting waiting) throws StorageException {
    Quantity wanted = VolumeRequest.quantity(name, size);
    Volume volume = editor.edit(Volume.KIND, name, v -> v.withSpec(v.spec().withSize(wanted)));
    if (!waiting.isWanted() || volume.status().state() != VolumeState.ATTACHED) {
      return volume;
    }
    Optional<Engine> engine =
        store.list(Engine.KIND, LabelSelector.ALL).items().stream()
            .filter(volume::follows)
            .findFirst();
    if (engine.isEmpty()) {
      return volume;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var path = observation.follow(Engine.KIND, engine.get().name());
      return observation.await(
          "volume " + name,
          waiting,
          () ->
              path.latest()
                  .filter(e -> e.status().currentSize().compareTo(wanted) >= 0)
                  .map(e -> volume),
          () ->
              "its engine to grow from "
                  + path.latest().map(e -> e.status().currentSize().toString()).orElse("nothing"));
    }
  }

  /**
   * Changes the spec of a volume.
   *
   * @param change change of the spec; called again after a concurrent change
   * @throws StorageException NOT_FOUND; INVALID with the field
   */
  public Volume change(String name, UnaryOperator<VolumeSpec> change) throws StorageException {
    return editor.edit(Volume.KIND, name, v -> v.withSpec(change.apply(v.spec())));
  }

  /** Returns all volumes by name. */
  public ResourceList<Volume> list() throws StorageException {
    return store.list(Volume.KIND, LabelSelector.ALL);
  }

  /**
   * Returns one volume.
   *
   * @throws StorageException NOT_FOUND
   */
  public Volume get(String name) throws StorageException {
    return editor.require(Volume.KIND, name);
  }

  /**
   * Returns the URI of an attached volume for initiators.
   *
   * @throws StorageException NOT_FOUND when the volume does not exist or is not attached with a
   *     frontend
   */
  public String endpoint(String name) throws StorageException {
    Volume volume = get(name);
    if (!volume.status().endpoint().isEmpty()) {
      return volume.status().endpoint();
    }
    String remedy = whyNoEndpoint(volume);
    throw new StorageException(
        ErrorCode.NOT_FOUND, "volume " + name + " has no endpoint: " + remedy);
  }

  private static String whyNoEndpoint(Volume volume) {
    VolumeState state = volume.status().state();
    if (state != VolumeState.ATTACHED) {
      return "it is " + state + "; attach it with 'holdfast volume attach " + volume.name() + "'";
    }
    return volume.spec().disableFrontend()
        ? "it is attached without a frontend"
        : "it is attached and not served at this moment; 'holdfast volume why "
            + volume.name()
            + "' says more";
  }

  /**
   * Declares the content of some replicas valid, for a volume that cannot be opened because its
   * current replicas are unknown. Writes that exist only on other replicas are lost. The
   * declaration applies once, at the next opening.
   *
   * @param replicas names of replicas of the volume, at least one
   * @return the volume with the request
   * @throws StorageException NOT_FOUND for the volume; INVALID when a replica belongs to another
   *     volume; CONFLICT when the volume is in use and therefore needs no salvage
   */
  public Volume salvage(String name, List<String> replicas) throws StorageException {
    SalvageRequest request = new SalvageRequest(UUID.randomUUID().toString(), replicas);
    return editor.edit(
        Volume.KIND,
        name,
        volume -> {
          requireSalvageable(volume, replicas);
          return volume.withSpec(volume.spec().withSalvage(request));
        });
  }

  private static void requireSalvageable(Volume volume, List<String> replicas)
      throws StorageException {
    List<String> present =
        volume.status().replicas().stream().map(VolumeReplica::name).sorted().toList();
    if (replicas.isEmpty() || !present.containsAll(replicas)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + volume.name()
              + ": --replica must name replicas of it, but names "
              + replicas
              + "; it has "
              + present);
    }
    switch (volume.status().robustness()) {
      case HEALTHY, DEGRADED ->
          throw new StorageException(
              ErrorCode.CONFLICT,
              "volume "
                  + volume.name()
                  + " is in use and "
                  + volume.status().robustness()
                  + ": no replica needs to be salvaged");
      case FAULTED, UNKNOWN -> {}
    }
  }

  /**
   * Requests the deletion of a volume; with waiting, until it is deleted.
   *
   * @return the volume if it still exists, otherwise empty
   * @throws StorageException NOT_FOUND; BUSY with its tickets when it is attached; TIMEOUT when it
   *     is not deleted in time (the deletion continues)
   */
  public Optional<Volume> delete(String name, Waiting waiting) throws StorageException {
    return delete(name, Optional.empty(), waiting);
  }

  /**
   * Requests the deletion of a volume like {@link #delete(String, Waiting)}.
   *
   * @param grace retention of its content, a valid {@link DeletionGrace}; empty for the value of
   *     the volume or the setting
   * @throws StorageException as {@link #delete(String, Waiting)}
   */
  public Optional<Volume> delete(String name, Optional<String> grace, Waiting waiting)
      throws StorageException {
    Volume present = editor.require(Volume.KIND, name);
    VolumeDeletion.requireAllowed(present, store.get(VolumeAttachment.KIND, name));
    if (grace.isPresent()) {
      change(name, spec -> spec.withDeletionGrace(grace.get()));
    }
    Optional<Volume> remaining = store.delete(Volume.KIND, name, "");
    if (remaining.isEmpty() || !waiting.isWanted()) {
      return remaining;
    }
    String uid = remaining.get().metadata().uid();
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(Volume.KIND, name);
      var attachment = observation.follow(VolumeAttachment.KIND, name);
      observation.await(
          "volume " + name,
          waiting,
          () ->
              volume.latest().filter(v -> v.metadata().uid().equals(uid)).isPresent()
                  ? Optional.empty()
                  : Optional.of(true),
          () ->
              volume.latest().map(v -> whyNotGone(v, attachment.latest())).orElse("its deletion"));
      return Optional.empty();
    }
  }

  /**
   * Requests the deletion of a volume as soon as it is detached and workloads do not request it.
   *
   * @param grace retention of its content, as in {@link #delete(String, Optional, Waiting)}
   * @throws StorageException NOT_FOUND; UNSUPPORTED when the release of the store does not support
   *     this
   */
  public Volume deleteWhenDetached(String name, Optional<String> grace) throws StorageException {
    Volume stored =
        change(
            name,
            spec ->
                spec.withDeleteWhenDetached(true)
                    .withDeletionGrace(grace.orElse(spec.deletionGrace())));
    if (!stored.spec().deleteWhenDetached()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + name
              + ": deletion once detached is not stored, because the store is of an earlier"
              + " release: upgrade the node that has the store (in Kubernetes: kubectl apply -f"
              + " deploy/crds), or detach the volume and run 'holdfast volume delete "
              + name
              + "'");
    }
    return stored;
  }

  /**
   * Cancels the request of {@link #deleteWhenDetached}. Succeeds without effect if it was not
   * requested.
   *
   * @throws StorageException NOT_FOUND; BUSY when the volume is being deleted; INVALID when it is
   *     detached and its deletion has begun
   */
  public Volume cancelDeletion(String name) throws StorageException {
    Volume present = editor.require(Volume.KIND, name);
    if (present.isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + name
              + " is being deleted, which cannot be taken back: as long as it is attached,"
              + " 'holdfast volume export "
              + name
              + " FILE' copies its data");
    }
    return change(name, spec -> spec.withDeleteWhenDetached(false));
  }

  private static String whyNotGone(Volume volume, Optional<VolumeAttachment> attachment) {
    if (volume.status().currentNodeID().isEmpty()) {
      return "the deletion of its replicas";
    }
    return HoldingTickets.of(volume, attachment).text()
        + "; it is deleted once detached ('holdfast volume detach "
        + volume.name()
        + "')";
  }
}
