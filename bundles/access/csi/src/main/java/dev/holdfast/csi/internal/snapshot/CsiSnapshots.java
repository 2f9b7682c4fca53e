package dev.holdfast.csi.internal.snapshot;

import com.google.protobuf.Timestamp;
import dev.holdfast.client.Snapshots;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.GroupLabels;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.ListPage;
import dev.holdfast.csi.internal.server.SnapshotClass;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Snapshots. Their resources are named after the orchestrator's names alone, because a snapshot
 * with the same name of another volume must be found. Thread-safe.
 */
public final class CsiSnapshots {
  /** Marks the snapshots that are taken to copy a volume. */
  private static final String FOR_COPY = Snapshot.COPY_LABEL;

  private final ResourceStore store;
  private final Snapshots snapshots;
  private final ImageSnapshots images;
  private final CsiBackups backups;
  private final CsiVolumes volumes;
  private final Topology topology;
  private final InFlightCalls claims;

  public CsiSnapshots(
      ResourceStore store, CsiVolumes volumes, Topology topology, InFlightCalls claims) {
    this.store = store;
    this.snapshots = new Snapshots(store, Clock.systemUTC());
    this.images = new ImageSnapshots(store);
    this.backups = new CsiBackups(store);
    this.volumes = volumes;
    this.topology = topology;
    this.claims = claims;
  }

  public Csi.CreateSnapshotResponse create(Csi.CreateSnapshotRequest request)
      throws StorageException, StatusException {
    if (request.getName().isEmpty()) {
      throw CsiStatus.invalid("name", "is missing");
    }
    if (request.getSourceVolumeId().isEmpty()) {
      throw CsiStatus.invalid("source_volume_id", "is missing");
    }
    SnapshotClass said = SnapshotClass.of(request.getParametersMap());
    topology.requireReachable(request.getAccessibilityRequirements());
    String name = CsiNames.resourceName(request.getName());
    return claims.on(
        "snapshot " + name,
        () ->
            Csi.CreateSnapshotResponse.newBuilder()
                .setSnapshot(
                    switch (said.type()) {
                      case IMAGE ->
                          images.create(request, said, requireSource(request.getSourceVolumeId()));
                      case BACKUP ->
                          backups.create(request, said, requireSource(request.getSourceVolumeId()));
                      case SNAPSHOT -> described(taken(wanted(request, name)));
                    })
                .build());
  }

  private Snapshot wanted(Csi.CreateSnapshotRequest request, String name)
      throws StorageException, StatusException {
    Optional<Snapshot> present = store.get(Snapshot.KIND, name);
    return present.isPresent() ? same(request, present.get()) : created(request, name);
  }

  private static Snapshot same(Csi.CreateSnapshotRequest request, Snapshot present)
      throws StatusException {
    if (present.isBeingDeleted()) {
      throw CsiStatus.aborted("snapshot " + present.name() + " is being deleted, try again");
    }
    boolean same =
        present.spec().volume().equals(request.getSourceVolumeId())
            && request.getName().equals(present.metadata().annotations().get(CsiVolumes.NAME));
    if (!same) {
      throw CsiStatus.alreadyExists(
          "snapshot "
              + present.name()
              + " exists, and is one of volume "
              + present.spec().volume()
              + " named "
              + present.metadata().annotations().getOrDefault(CsiVolumes.NAME, present.name()));
    }
    return present;
  }

  private Snapshot created(Csi.CreateSnapshotRequest request, String name)
      throws StorageException, StatusException {
    Volume source = requireSource(request.getSourceVolumeId());
    Map<String, String> notes =
        new LinkedHashMap<>(ClassParameters.forWhom(request.getParametersMap()));
    notes.put(CsiVolumes.NAME, request.getName());
    return create(source, name, notes, Map.of());
  }

  /** Returns a volume that snapshots can be taken of. */
  Volume requireSource(String id) throws StorageException, StatusException {
    Volume source =
        volumes
            .find(id)
            .orElseThrow(
                () -> CsiStatus.notFound("source_volume_id: there is no volume \"" + id + "\""));
    if (source.awaitsContent()) {
      throw CsiStatus.aborted("volume " + id + " is not whole yet, it is being copied: try again");
    }
    return source;
  }

  /** Requests a snapshot. */
  Snapshot create(
      Volume source, String name, Map<String, String> annotations, Map<String, String> labels)
      throws StorageException, StatusException {
    Snapshot wanted = Snapshot.of(name, SnapshotSpec.EMPTY.withVolume(source.name()));
    try {
      return store.create(
          wanted.withMetadata(wanted.metadata().withAnnotations(annotations).withLabels(labels)));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.ALREADY_EXISTS) {
        throw CsiStatus.aborted("snapshot " + name + " is just being made, try again");
      }
      throw e;
    }
  }

  /** Waits until a snapshot is taken; deletes a failed one, so that it can be retried. */
  Snapshot taken(Snapshot wanted) throws StorageException {
    try {
      return snapshots.await(
          wanted,
          CallReplies.waiting(),
          now -> Optional.of(now).filter(snapshot -> snapshot.status().readyToUse()));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.IO) {
        discard(wanted);
      }
      throw e;
    }
  }

  /** Deletes a failed snapshot; succeeds when it is absent. */
  void discard(Snapshot failed) throws StorageException {
    try {
      store.delete(Snapshot.KIND, failed.name(), failed.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  public Csi.DeleteSnapshotResponse delete(Csi.DeleteSnapshotRequest request)
      throws StorageException, StatusException {
    String id = request.getSnapshotId();
    if (id.isEmpty()) {
      throw CsiStatus.invalid("snapshot_id", "is missing");
    }
    return claims.on(
        "snapshot " + id,
        () -> {
          Optional<String> image = ImageSnapshots.image(id);
          if (image.isPresent()) {
            images.delete(image.get());
            return Csi.DeleteSnapshotResponse.getDefaultInstance();
          }
          Optional<CsiBackups.Name> backup = CsiBackups.named(id);
          if (backup.isPresent()) {
            backups.delete(backup.get());
            return Csi.DeleteSnapshotResponse.getDefaultInstance();
          }
          Optional<Snapshot> present = store.get(Snapshot.KIND, id);
          if (present.isPresent()) {
            requireNoGroup(present.get());
            delete(present.get());
          }
          return Csi.DeleteSnapshotResponse.getDefaultInstance();
        });
  }

  private static void requireNoGroup(Snapshot snapshot) throws StatusException {
    String group = GroupLabels.of(snapshot);
    if (!group.isEmpty()) {
      throw CsiStatus.invalid(
          "snapshot_id",
          "snapshot " + snapshot.name() + " belongs to group " + group + ", which goes as a whole");
    }
  }

  /**
   * Deletes a snapshot. Directly below the live content it is only marked and removed with the next
   * snapshot; for the orchestrator it is deleted.
   */
  void delete(Snapshot snapshot) throws StorageException, StatusException {
    requireNotCopied(snapshot);
    try {
      if (store.get(Volume.KIND, snapshot.spec().volume()).isEmpty()) {
        store.delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
      } else {
        var unused =
            snapshots.delete(snapshot.spec().volume(), snapshot.name(), CallReplies.waiting());
      }
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  private void requireNotCopied(Snapshot snapshot) throws StorageException, StatusException {
    for (Volume copy : volumes.all()) {
      boolean copying =
          copy.awaitsContent()
              && copy.spec()
                  .cloneSource()
                  .filter(
                      source ->
                          source.volume().equals(snapshot.spec().volume())
                              && source.snapshot().equals(snapshot.nameInVolume()))
                  .isPresent();
      if (copying) {
        throw CsiStatus.failedPrecondition(
            "snapshot " + snapshot.name() + " is being copied into volume " + copy.name());
      }
    }
  }

  public Csi.ListSnapshotsResponse list(Csi.ListSnapshotsRequest request)
      throws StorageException, StatusException {
    List<Csi.Snapshot> all = new ArrayList<>(backups.all());
    all.addAll(images.all());
    for (Snapshot snapshot : shown()) {
      all.add(described(snapshot));
    }
    List<Csi.Snapshot> matching =
        all.stream()
            .filter(s -> isEmptyOr(request.getSnapshotId(), s.getSnapshotId()))
            .filter(s -> isEmptyOr(request.getSourceVolumeId(), s.getSourceVolumeId()))
            .sorted(Comparator.comparing(Csi.Snapshot::getSnapshotId))
            .toList();
    ListPage<Csi.Snapshot> page =
        ListPage.of(
            matching,
            Csi.Snapshot::getSnapshotId,
            request.getStartingToken(),
            request.getMaxEntries());
    Csi.ListSnapshotsResponse.Builder answer =
        Csi.ListSnapshotsResponse.newBuilder().setNextToken(page.nextToken());
    for (Csi.Snapshot snapshot : page.entries()) {
      answer.addEntries(Csi.ListSnapshotsResponse.Entry.newBuilder().setSnapshot(snapshot));
    }
    return answer.build();
  }

  private static boolean isEmptyOr(String wanted, String value) {
    return wanted.isEmpty() || wanted.equals(value);
  }

  public Csi.GetSnapshotResponse get(Csi.GetSnapshotRequest request)
      throws StorageException, StatusException {
    Optional<String> image = ImageSnapshots.image(request.getSnapshotId());
    if (image.isPresent()) {
      return Csi.GetSnapshotResponse.newBuilder()
          .setSnapshot(images.get("snapshot_id", image.get()))
          .build();
    }
    Optional<CsiBackups.Name> backup = CsiBackups.named(request.getSnapshotId());
    if (backup.isPresent()) {
      return Csi.GetSnapshotResponse.newBuilder()
          .setSnapshot(backups.get("snapshot_id", backup.get()))
          .build();
    }
    return Csi.GetSnapshotResponse.newBuilder()
        .setSnapshot(described(require("snapshot_id", request.getSnapshotId())))
        .build();
  }

  /** Returns a snapshot that was taken. */
  Snapshot require(String field, String id) throws StorageException, StatusException {
    if (id.isEmpty()) {
      throw CsiStatus.invalid(field, "is missing");
    }
    return store
        .get(Snapshot.KIND, id)
        .filter(CsiSnapshots::isShown)
        .orElseThrow(() -> CsiStatus.notFound(field + ": there is no snapshot \"" + id + "\""));
  }

  /** Returns the snapshots that are backing images. */
  public ImageSnapshots images() {
    return images;
  }

  /** Returns the snapshots that are backups. */
  public CsiBackups backups() {
    return backups;
  }

  /** Returns a snapshot that can be read. */
  public Snapshot requireReady(String id) throws StorageException, StatusException {
    Snapshot snapshot = require("volume_content_source.snapshot.snapshot_id", id);
    if (!snapshot.status().readyToUse()) {
      throw CsiStatus.unavailable(
          "snapshot " + id + " cannot be read now: " + snapshot.status().message());
    }
    return snapshot;
  }

  /** Returns the snapshots of a volume that prevent its deletion. */
  public List<Snapshot> ofVolume(String volume) throws StorageException {
    return store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
        .filter(s -> s.spec().volume().equals(volume))
        .filter(s -> !s.isBeingDeleted() && s.status().error().isEmpty())
        .filter(CsiSnapshots::isUsers)
        .filter(s -> !isForOthers(s))
        .toList();
  }

  // Until the engine has described a snapshot, only the client's request for it is known.
  private static boolean isUsers(Snapshot snapshot) {
    return snapshot.status().creationTime().isEmpty()
        ? snapshot.spec().createSnapshot()
        : snapshot.status().userCreated();
  }

  private List<Snapshot> shown() throws StorageException {
    return store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
        .filter(CsiSnapshots::isShown)
        .toList();
  }

  /**
   * Returns whether a snapshot is visible: it was taken, and not by the system for its own work.
   */
  private static boolean isShown(Snapshot snapshot) {
    return snapshot.status().creationTime().isPresent()
        && snapshot.status().error().isEmpty()
        && snapshot.status().userCreated()
        && !snapshot.isBeingDeleted()
        && !isForOthers(snapshot);
  }

  private static boolean isForOthers(Snapshot snapshot) {
    Map<String, String> labels = snapshot.metadata().labels();
    return labels.containsKey(FOR_COPY)
        || labels.containsKey(BackingImage.LABEL)
        || labels.containsKey(Backup.SNAPSHOT_LABEL);
  }

  /** Returns a snapshot as an answer names it. */
  static Csi.Snapshot described(Snapshot snapshot) {
    Csi.Snapshot.Builder answer =
        Csi.Snapshot.newBuilder()
            .setSnapshotId(snapshot.name())
            .setSourceVolumeId(snapshot.spec().volume())
            .setSizeBytes(snapshot.status().restoreSize().bytes())
            .setReadyToUse(snapshot.status().readyToUse())
            .setGroupSnapshotId(GroupLabels.of(snapshot));
    snapshot
        .status()
        .creationTime()
        .map(CsiSnapshots::timestamp)
        .ifPresent(answer::setCreationTime);
    return answer.build();
  }

  static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }
}
