package dev.holdfast.csi.internal.snapshot;

import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.GroupLabels;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.SnapshotClass;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Consistent snapshots of several volumes. A group consists of the snapshots with its label. The
 * node that serves the volumes holds all of them, takes the snapshots, and releases the volumes.
 * Thread-safe.
 */
final class GroupSnapshots {
  private final ResourceStore store;
  private final CsiSnapshots snapshots;
  private final InFlightCalls claims;

  GroupSnapshots(ResourceStore store, CsiSnapshots snapshots, InFlightCalls claims) {
    this.store = store;
    this.snapshots = snapshots;
    this.claims = claims;
  }

  Csi.CreateVolumeGroupSnapshotResponse create(Csi.CreateVolumeGroupSnapshotRequest request)
      throws StorageException, StatusException {
    if (request.getName().isEmpty()) {
      throw CsiStatus.invalid("name", "is missing");
    }
    Set<String> sources = new TreeSet<>(request.getSourceVolumeIdsList());
    if (sources.isEmpty() || sources.contains("")) {
      throw CsiStatus.invalid("source_volume_ids", "must name at least one volume");
    }
    if (sources.size() != request.getSourceVolumeIdsCount()) {
      throw CsiStatus.invalid("source_volume_ids", "must name each volume once");
    }
    if (SnapshotClass.of(request.getParametersMap()).type() != SnapshotClass.Type.SNAPSHOT) {
      throw CsiStatus.invalid(
          "parameters[type]", "must be snap for a group: images and backups are made one by one");
    }
    String group = CsiNames.resourceName(request.getName());
    return claims.on(
        "group snapshot " + group,
        () ->
            Csi.CreateVolumeGroupSnapshotResponse.newBuilder()
                .setGroupSnapshot(described(group, taken(asked(request, group, sources))))
                .build());
  }

  /** Finds the snapshots of an earlier call, and requests the missing ones. */
  private List<Snapshot> asked(
      Csi.CreateVolumeGroupSnapshotRequest request, String group, Set<String> sources)
      throws StorageException, StatusException {
    Map<String, Snapshot> present = new LinkedHashMap<>();
    for (Snapshot snapshot : members(group)) {
      present.put(snapshot.spec().volume(), snapshot);
      String all = snapshot.metadata().annotations().getOrDefault(GroupLabels.VOLUMES, "");
      if (!all.equals(String.join(",", sources))) {
        throw CsiStatus.alreadyExists(
            "group snapshot " + group + " exists, and is of the volumes " + all);
      }
      if (snapshot.isBeingDeleted()) {
        throw CsiStatus.aborted("group snapshot " + group + " is being deleted, try again");
      }
    }
    List<Volume> volumes = new ArrayList<>();
    for (String source : sources) {
      volumes.add(snapshots.requireSource(source));
    }
    if (present.isEmpty()) {
      requireOneNode(volumes);
    }
    List<Snapshot> asked = new ArrayList<>();
    for (Volume volume : volumes) {
      Snapshot found = present.get(volume.name());
      asked.add(found == null ? ask(request, group, sources, volume) : found);
    }
    return asked;
  }

  private static void requireOneNode(List<Volume> volumes) throws StatusException {
    Set<String> nodes = new TreeSet<>();
    volumes.stream().map(v -> v.spec().nodeID()).filter(n -> !n.isEmpty()).forEach(nodes::add);
    if (nodes.size() > 1) {
      throw CsiStatus.failedPrecondition(
          "source_volume_ids: the volumes are in use on the nodes "
              + String.join(", ", nodes)
              + "; a consistent group is possible for volumes on one node only");
    }
  }

  private Snapshot ask(
      Csi.CreateVolumeGroupSnapshotRequest request,
      String group,
      Set<String> sources,
      Volume volume)
      throws StorageException, StatusException {
    Map<String, String> notes =
        new LinkedHashMap<>(ClassParameters.forWhom(request.getParametersMap()));
    notes.put(CsiVolumes.NAME, request.getName());
    notes.put(GroupLabels.VOLUMES, String.join(",", sources));
    String name = CsiNames.resourceName(request.getName() + "/" + volume.name());
    return snapshots.create(volume, name, notes, Map.of(GroupLabels.GROUP, group));
  }

  /**
   * Waits for all snapshots. If one failed permanently, all are deleted, so that the group can be
   * retried.
   */
  private List<Snapshot> taken(List<Snapshot> asked) throws StorageException {
    List<Snapshot> taken = new ArrayList<>();
    for (Snapshot snapshot : asked) {
      try {
        taken.add(snapshots.taken(snapshot));
      } catch (StorageException e) {
        if (e.code() == ErrorCode.IO) {
          discard(asked);
        }
        throw e;
      }
    }
    return taken;
  }

  private void discard(List<Snapshot> all) throws StorageException {
    for (Snapshot snapshot : all) {
      snapshots.discard(snapshot);
    }
  }

  private List<Snapshot> members(String group) throws StorageException {
    return CsiNames.isResourceName(group)
        ? store.list(Snapshot.KIND, LabelSelector.label(GroupLabels.GROUP, group)).items()
        : List.of();
  }

  Csi.DeleteVolumeGroupSnapshotResponse delete(Csi.DeleteVolumeGroupSnapshotRequest request)
      throws StorageException, StatusException {
    String group = request.getGroupSnapshotId();
    requireId(group);
    return claims.on(
        "group snapshot " + group,
        () -> {
          List<Snapshot> members = members(group);
          requireListed(members, request.getSnapshotIdsList());
          for (Snapshot snapshot : members) {
            snapshots.delete(snapshot);
          }
          return Csi.DeleteVolumeGroupSnapshotResponse.getDefaultInstance();
        });
  }

  Csi.GetVolumeGroupSnapshotResponse get(Csi.GetVolumeGroupSnapshotRequest request)
      throws StorageException, StatusException {
    String group = request.getGroupSnapshotId();
    requireId(group);
    List<Snapshot> members =
        members(group).stream().filter(snapshot -> !snapshot.isBeingDeleted()).toList();
    if (members.isEmpty()) {
      throw CsiStatus.notFound("group_snapshot_id: there is no group snapshot \"" + group + "\"");
    }
    requireListed(members, request.getSnapshotIdsList());
    return Csi.GetVolumeGroupSnapshotResponse.newBuilder()
        .setGroupSnapshot(described(group, members))
        .build();
  }

  private static void requireId(String group) throws StatusException {
    if (group.isEmpty()) {
      throw CsiStatus.invalid("group_snapshot_id", "is missing");
    }
  }

  /** Checks the caller's list: it must contain all members, but members may already be deleted. */
  private static void requireListed(List<Snapshot> members, List<String> listed)
      throws StatusException {
    Set<String> named = new HashSet<>(listed);
    Optional<Snapshot> unnamed =
        members.stream().filter(snapshot -> !named.contains(snapshot.name())).findFirst();
    if (!named.isEmpty() && unnamed.isPresent()) {
      throw CsiStatus.invalid(
          "snapshot_ids", "snapshot " + unnamed.get().name() + " belongs to the group too");
    }
  }

  private static Csi.VolumeGroupSnapshot described(String group, List<Snapshot> members) {
    Csi.VolumeGroupSnapshot.Builder answer =
        Csi.VolumeGroupSnapshot.newBuilder()
            .setGroupSnapshotId(group)
            .setReadyToUse(members.stream().allMatch(s -> s.status().readyToUse()));
    members.forEach(snapshot -> answer.addSnapshots(CsiSnapshots.described(snapshot)));
    members.stream()
        .flatMap(snapshot -> snapshot.status().creationTime().stream())
        .max(Instant::compareTo)
        .map(CsiSnapshots::timestamp)
        .ifPresent(answer::setCreationTime);
    return answer.build();
  }
}
