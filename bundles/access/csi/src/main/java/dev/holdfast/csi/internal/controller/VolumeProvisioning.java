package dev.holdfast.csi.internal.controller;

import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Volumes;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CapacityRange;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.JobSelector;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.internal.snapshot.CsiBackups;
import dev.holdfast.csi.internal.snapshot.CsiSnapshots;
import dev.holdfast.csi.internal.snapshot.ImageSnapshots;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumePlugins;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates volumes. The resource's name is derived from the orchestrator's name, so that a repeated
 * call finds its volume, even after a crash. Thread-safe.
 */
final class VolumeProvisioning {
  /** Protocol of a device that an engine creates itself. */
  private static final String ENGINE_DEVICE = "device";

  /**
   * Retention of a claim's content, because Kubernetes decides by the reclaim policy whether it is
   * kept.
   */
  private static final String CLAIM_GRACE = "0s";

  private final ResourceStore store;
  private final Volumes volumes;
  private final CsiVolumes csiVolumes;
  private final CsiSnapshots snapshots;
  private final Topology topology;
  private final InFlightCalls claims;
  private final ShareProvisioning shares;
  private final ImageProvisioning images;

  VolumeProvisioning(
      ResourceStore store,
      CsiVolumes csiVolumes,
      CsiSnapshots snapshots,
      Topology topology,
      InFlightCalls claims) {
    this.store = store;
    this.volumes = new Volumes(store);
    this.shares = new ShareProvisioning(store);
    this.images = new ImageProvisioning(store);
    this.csiVolumes = csiVolumes;
    this.snapshots = snapshots;
    this.topology = topology;
    this.claims = claims;
  }

  /** Source of a new volume's content, and its size. */
  private record Content(Optional<CloneSource> source, String image, String backup, long bytes) {
    static final Content NONE = new Content(Optional.empty(), "", "", 0);

    static Content of(CloneSource source, long bytes) {
      return new Content(Optional.of(source), "", "", bytes);
    }

    static Content of(BackingImage image) {
      return new Content(Optional.empty(), image.name(), "", image.status().virtualSize().bytes());
    }

    static Content ofBackup(String address, long bytes) {
      return new Content(Optional.empty(), "", address, bytes);
    }

    /** Returns the restore mode of the class, which applies to restored volumes. */
    RestoreMode restoreMode(Map<String, String> parameters) {
      boolean lazy =
          RestoreMode.LAZY.toString().equals(parameters.get(ClassParameters.RESTORE_MODE));
      return lazy && !backup.isEmpty() ? RestoreMode.LAZY : RestoreMode.WHOLE;
    }

    /** Returns whether the volume starts without a filesystem. */
    boolean isEmpty() {
      return source.isEmpty() && image.isEmpty() && backup.isEmpty();
    }
  }

  Csi.CreateVolumeResponse create(Csi.CreateVolumeRequest request)
      throws StorageException, StatusException {
    if (request.getName().isEmpty()) {
      throw CsiStatus.invalid("name", "is missing");
    }
    List<RequestedAccess> accesses = RequestedAccess.all(request.getVolumeCapabilitiesList());
    VolumeSpec said =
        ClassParameters.modified(
            ClassParameters.created(
                VolumeSpec.EMPTY.withDeletionGrace(CLAIM_GRACE), request.getParametersMap()),
            request.getAttributeParametersMap());
    requireKey(request, accesses);
    String name = CsiNames.resourceName(request.getName());
    return claims.on("volume " + name, () -> create(request, name, said, accesses));
  }

  private Csi.CreateVolumeResponse create(
      Csi.CreateVolumeRequest request, String name, VolumeSpec said, List<RequestedAccess> accesses)
      throws StorageException, StatusException {
    Optional<Volume> present = store.get(Volume.KIND, name);
    if (present.isEmpty()) {
      Content content = content(request, said);
      topology.requireReachable(request.getAccessibilityRequirements());
      Volume wanted = wanted(request, name, said, accesses, content);
      VolumePlugins.requireInstalled(
          wanted, Optional.empty(), store.list(Node.KIND, LabelSelector.ALL).items());
      try {
        store.create(wanted);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.ALREADY_EXISTS) {
          throw e;
        }
        present = store.get(Volume.KIND, name); // another process has created the volume
      }
    }
    if (present.isPresent()) {
      requireSame(request, accesses, present.get());
    }
    Volume ready = volumes.awaitReady(name, CallReplies.waiting());
    if (ShareManager.isShared(ready)) {
      shares.settle(ready, request, accesses);
    }
    requireSuitable(request, present.isEmpty(), ready);
    return Csi.CreateVolumeResponse.newBuilder().setVolume(csiVolumes.described(ready)).build();
  }

  private Volume wanted(
      Csi.CreateVolumeRequest request,
      String name,
      VolumeSpec said,
      List<RequestedAccess> accesses,
      Content content)
      throws StorageException, StatusException {
    long size =
        CapacityRange.wanted(
            request.hasCapacityRange(), request.getCapacityRange(), content.bytes());
    requireRoom(request, accesses, content, size);
    boolean moves = RequestedAccess.movesInUse(accesses);
    if (moves) {
      requireMovable(request, accesses, said);
    }
    Volume volume =
        Volume.of(
            name,
            said.withSize(new Quantity(size))
                .withAccessMode(RequestedAccess.modeFor(accesses))
                .withMigratable(moves)
                .withCloneSource(content.source())
                .withBackingImage(content.image())
                .withFromBackup(content.backup())
                .withRestoreMode(content.restoreMode(request.getParametersMap())));
    Map<String, String> annotations =
        VolumeAnnotations.of(
            request, content.image(), topology.expected(request.getAccessibilityRequirements()));
    Map<String, String> labels =
        JobSelector.labels(request.getParametersOrDefault(JobSelector.PARAMETER, ""));
    return volume.withMetadata(volume.metadata().withAnnotations(annotations).withLabels(labels));
  }

  /** Checks that the size suffices for the filesystem, encrypted or not. */
  private static void requireRoom(
      Csi.CreateVolumeRequest request, List<RequestedAccess> accesses, Content content, long size)
      throws StatusException {
    String filesystem = request.getParametersOrDefault(ClassParameters.FILESYSTEM, "");
    long room =
        CapacityRange.forContent(size, ClassParameters.isEncrypted(request.getParametersMap()));
    for (RequestedAccess access : accesses) {
      if (!access.block() && content.isEmpty()) {
        CapacityRange.requireRoomFor(
            access.filesystem().isEmpty() ? filesystem : access.filesystem(), room);
      }
    }
  }

  /** Checks that a device for several nodes can move between them during use. */
  private void requireMovable(
      Csi.CreateVolumeRequest request, List<RequestedAccess> accesses, VolumeSpec said)
      throws StorageException, StatusException {
    if (!accesses.stream().allMatch(RequestedAccess::block)) {
      throw CsiStatus.invalid(
          "volume_capabilities",
          "MULTI_NODE_MULTI_WRITER is for a block volume or for a filesystem, not for both");
    }
    if ("false".equals(request.getParametersMap().get(ClassParameters.MIGRATABLE))) {
      throw CsiStatus.invalid(
          "parameters[" + ClassParameters.MIGRATABLE + "]",
          "a device on several nodes is for moving from one to the other: it cannot be false");
    }
    if (said.frontend().equals(ENGINE_DEVICE)) {
      throw CsiStatus.invalid(
          "parameters[frontend]",
          ENGINE_DEVICE
              + " is on one node only, where the volume is open: use another frontend for"
              + " MULTI_NODE_MULTI_WRITER, such as nbd");
    }
    requireForwarding(said.dataEngine());
  }

  private void requireForwarding(String engine) throws StorageException, StatusException {
    List<Node> nodes = store.list(Node.KIND, LabelSelector.ALL).items();
    if (!EngineDeclaration.of(engine, nodes).mayForward()) {
      throw CsiStatus.invalid(
          "volume_capabilities",
          "MULTI_NODE_MULTI_WRITER: engine "
              + engine
              + " serves a volume on one node at a time: use SINGLE_NODE_WRITER, a filesystem for"
              + " many nodes, or a class with another dataEngine");
    }
  }

  /**
   * Requires a secret in the class of an encrypted share, because the orchestrator passes its
   * Secrets only to the nodes that mount the share, and not to the node that exports it.
   */
  private static void requireKey(Csi.CreateVolumeRequest request, List<RequestedAccess> accesses)
      throws StatusException {
    boolean shared =
        RequestedAccess.modeFor(accesses) == AccessMode.READ_WRITE_MANY
            && !RequestedAccess.movesInUse(accesses);
    String secret = request.getParametersOrDefault(ClassParameters.SHARE_KEY_SECRET, "");
    if (shared && ClassParameters.isEncrypted(request.getParametersMap()) && secret.isBlank()) {
      throw CsiStatus.invalid(
          "parameters[" + ClassParameters.SHARE_KEY_SECRET + "]",
          "is missing: an encrypted filesystem for many nodes needs the name of a Secret in"
              + " Holdfast's namespace that has the key");
    }
  }

  /** Returns the content source, which has priority over the image of the class. */
  private Content content(Csi.CreateVolumeRequest request, VolumeSpec said)
      throws StorageException, StatusException {
    Csi.VolumeContentSource source = request.getVolumeContentSource();
    return switch (source.getTypeCase()) {
      case TYPE_NOT_SET ->
          said.fromBackup().isEmpty()
              ? images
                  .settle(request.getParametersMap(), said.dataEngine())
                  .map(Content::of)
                  .orElse(Content.NONE)
              : Content.ofBackup(said.fromBackup(), 0);
      case SNAPSHOT -> content(source.getSnapshot().getSnapshotId());
      case VOLUME -> {
        Volume volume = csiVolumes.require(source.getVolume().getVolumeId());
        yield Content.of(new CloneSource(volume.name(), ""), volume.spec().size().bytes());
      }
    };
  }

  private Content content(String snapshotId) throws StorageException, StatusException {
    Optional<String> image = ImageSnapshots.image(snapshotId);
    if (image.isPresent()) {
      return Content.of(snapshots.images().requireReady(image.get()));
    }
    Optional<CsiBackups.Name> backup = CsiBackups.named(snapshotId);
    if (backup.isPresent()) {
      CsiBackups.Content found = snapshots.backups().requireReady(backup.get());
      return Content.ofBackup(found.address(), found.bytes());
    }
    Snapshot snapshot = snapshots.requireReady(snapshotId);
    return Content.of(
        new CloneSource(snapshot.spec().volume(), snapshot.nameInVolume()),
        snapshot.status().restoreSize().bytes());
  }

  /** Checks that an existing volume matches the request. */
  private void requireSame(
      Csi.CreateVolumeRequest request, List<RequestedAccess> accesses, Volume present)
      throws StorageException, StatusException {
    if (present.isBeingDeleted()) {
      throw CsiStatus.aborted("volume " + present.name() + " is being deleted, try again");
    }
    Map<String, String> notes = present.metadata().annotations();
    if (!request.getName().equals(notes.get(CsiVolumes.NAME))) {
      throw different(present, "it was not made under this name by this driver");
    }
    if (!CapacityRange.fits(present.spec().size().bytes(), request.getCapacityRange())) {
      throw different(present, "it has " + present.spec().size().bytes() + " bytes");
    }
    if (!ClassParameters.text(request.getParametersMap())
        .equals(notes.get(CsiVolumes.PARAMETERS))) {
      throw different(
          present, "it was made with the parameters " + notes.get(CsiVolumes.PARAMETERS));
    }
    if (RequestedAccess.movesInUse(accesses) != present.spec().migratable()
        || RequestedAccess.modeFor(accesses) != present.spec().accessMode()) {
      throw different(present, "it is for the access mode " + present.spec().accessMode());
    }
    if (!isSameContent(request.getVolumeContentSource(), present)) {
      throw different(present, "it has another content source");
    }
  }

  /** Compares only the names, because the source may have been deleted. */
  private boolean isSameContent(Csi.VolumeContentSource source, Volume present)
      throws StorageException {
    Csi.VolumeContentSource has = csiVolumes.described(present).getContentSource();
    return source.getTypeCase() == has.getTypeCase()
        && source.getVolume().getVolumeId().equals(has.getVolume().getVolumeId())
        && source.getSnapshot().getSnapshotId().equals(has.getSnapshot().getSnapshotId());
  }

  private static StatusException different(Volume present, String how) {
    return CsiStatus.alreadyExists("volume " + present.name() + " exists, and " + how);
  }

  /**
   * Checks that workloads can use the volume in the requested topologies, because some replicas
   * cannot move.
   */
  private void requireSuitable(Csi.CreateVolumeRequest request, boolean isNew, Volume volume)
      throws StorageException, StatusException {
    if (topology.suits(volume, request.getAccessibilityRequirements())) {
      return;
    }
    if (isNew) {
      store.delete(Volume.KIND, volume.name(), volume.metadata().uid());
    }
    throw CsiStatus.exhausted(
        "volume "
            + volume.name()
            + ": its replica has no place in the requisite topologies, and dataLocality is"
            + " strict-local");
  }

  Csi.ControllerModifyVolumeResponse modify(Csi.ControllerModifyVolumeRequest request)
      throws StorageException, StatusException {
    Volume volume = csiVolumes.require(request.getVolumeId());
    ClassParameters.modified(volume.spec(), request.getMutableParametersMap());
    return claims.on(
        "volume " + volume.name(),
        () -> {
          new StoreEditor(store)
              .edit(
                  Volume.KIND,
                  volume.name(),
                  current -> current.withSpec(changed(current, request)));
          return Csi.ControllerModifyVolumeResponse.getDefaultInstance();
        });
  }

  /** Applies values that were already checked; the store validates the resulting volume. */
  private static VolumeSpec changed(Volume current, Csi.ControllerModifyVolumeRequest request)
      throws StorageException {
    try {
      return ClassParameters.modified(current.spec(), request.getMutableParametersMap());
    } catch (StatusException e) {
      throw new StorageException(ErrorCode.INVALID, e.getStatus().getDescription(), e);
    }
  }
}
