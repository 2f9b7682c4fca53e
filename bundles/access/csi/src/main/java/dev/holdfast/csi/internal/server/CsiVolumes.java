package dev.holdfast.csi.internal.server;

import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Volumes in the form of CSI. Thread-safe. */
public final class CsiVolumes {
  /** Annotation with the name from the orchestrator. */
  public static final String NAME = CsiNames.DRIVER + "/name";

  /** Annotation with the parameters of the creation. */
  public static final String PARAMETERS = CsiNames.DRIVER + "/parameters";

  /** Annotation with the preferred node, which the placement of replicas considers first. */
  public static final String EXPECTED_ON = Volume.EXPECTED_ON_ANNOTATION;

  /** Annotation with the filesystem of the class. */
  public static final String FILESYSTEM = CsiNames.DRIVER + "/fs-type";

  /** Annotation with the mkfs options of the class. */
  public static final String MAKE_OPTIONS = CsiNames.DRIVER + "/mkfs-params";

  /** Annotation that records whether the class requires encryption. */
  public static final String ENCRYPTED = CsiNames.DRIVER + "/encrypted";

  /** Annotation with the snapshot of type bi from which the volume was created. */
  public static final String IMAGE_SOURCE = CsiNames.DRIVER + "/image-source";

  /** Annotation with the snapshot of type bak from which the volume was created. */
  public static final String BACKUP_SOURCE = CsiNames.DRIVER + "/backup-source";

  private final ResourceStore store;
  private final Topology topology;

  public CsiVolumes(ResourceStore store, Topology topology) {
    this.store = store;
    this.topology = topology;
  }

  /**
   * Returns an existing volume.
   *
   * @throws StatusException INVALID_ARGUMENT without an id; NOT_FOUND
   */
  public Volume require(String id) throws StorageException, StatusException {
    if (id.isEmpty()) {
      throw CsiStatus.invalid("volume_id", "is missing");
    }
    return find(id)
        .orElseThrow(() -> CsiStatus.notFound("volume_id: there is no volume \"" + id + "\""));
  }

  /** Returns a volume that is not being deleted. */
  public Optional<Volume> find(String id) throws StorageException {
    return store.get(Volume.KIND, id).filter(volume -> !volume.isBeingDeleted());
  }

  /** Returns a volume as an answer names it. */
  public Csi.Volume described(Volume volume) throws StorageException {
    Csi.Volume.Builder answer =
        Csi.Volume.newBuilder()
            .setVolumeId(volume.name())
            .setCapacityBytes(volume.spec().size().bytes())
            .putAllVolumeContext(context(volume))
            .addAllAccessibleTopology(topology.accessible(volume));
    content(volume).ifPresent(answer::setContentSource);
    return answer.build();
  }

  /** Returns the volume context, which the node receives with every call. */
  public static Map<String, String> context(Volume volume) {
    Map<String, String> context = new TreeMap<>();
    Map<String, String> notes = volume.metadata().annotations();
    Optional.ofNullable(notes.get(FILESYSTEM))
        .ifPresent(filesystem -> context.put(ClassParameters.FILESYSTEM, filesystem));
    Optional.ofNullable(notes.get(MAKE_OPTIONS))
        .ifPresent(options -> context.put(ClassParameters.MAKE_OPTIONS, options));
    Optional.ofNullable(notes.get(ENCRYPTED))
        .ifPresent(encrypted -> context.put(ClassParameters.ENCRYPTED, encrypted));
    return context;
  }

  private Optional<Csi.VolumeContentSource> content(Volume volume) throws StorageException {
    if (volume.spec().cloneSource().isEmpty()) {
      Map<String, String> notes = volume.metadata().annotations();
      return Optional.ofNullable(notes.getOrDefault(IMAGE_SOURCE, notes.get(BACKUP_SOURCE)))
          .map(CsiVolumes::ofSnapshot);
    }
    String source = volume.spec().cloneSource().get().volume();
    String snapshot = volume.spec().cloneSource().get().snapshot();
    Csi.VolumeContentSource.Builder content = Csi.VolumeContentSource.newBuilder();
    if (snapshot.isEmpty()) {
      return Optional.of(
          content
              .setVolume(Csi.VolumeContentSource.VolumeSource.newBuilder().setVolumeId(source))
              .build());
    }
    String id =
        store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
            .filter(s -> s.spec().volume().equals(source) && s.nameInVolume().equals(snapshot))
            .map(Snapshot::name)
            .findFirst()
            .orElse(snapshot);
    return Optional.of(ofSnapshot(id));
  }

  private static Csi.VolumeContentSource ofSnapshot(String id) {
    return Csi.VolumeContentSource.newBuilder()
        .setSnapshot(Csi.VolumeContentSource.SnapshotSource.newBuilder().setSnapshotId(id))
        .build();
  }

  /** Returns all volumes by name, except those that are being deleted. */
  public List<Volume> all() throws StorageException {
    return store.list(Volume.KIND, LabelSelector.ALL).items().stream()
        .filter(volume -> !volume.isBeingDeleted())
        .toList();
  }
}
