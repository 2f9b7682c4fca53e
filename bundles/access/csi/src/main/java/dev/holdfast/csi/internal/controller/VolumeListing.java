package dev.holdfast.csi.internal.controller;

import com.google.protobuf.Int64Value;
import dev.holdfast.csi.internal.server.ClassParameters;
import dev.holdfast.csi.internal.server.CsiTickets;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.ListPage;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.List;
import java.util.Map;

/** Lists volumes, their health and the free capacity. Thread-safe. */
public final class VolumeListing {
  private static final long SMALLEST = 1L << 20;

  private final ResourceStore store;
  private final CsiVolumes volumes;
  private final Topology topology;

  VolumeListing(ResourceStore store, CsiVolumes volumes, Topology topology) {
    this.store = store;
    this.volumes = volumes;
    this.topology = topology;
  }

  Csi.ListVolumesResponse list(Csi.ListVolumesRequest request)
      throws StorageException, StatusException {
    ListPage<Volume> page =
        ListPage.of(
            volumes.all(), Volume::name, request.getStartingToken(), request.getMaxEntries());
    Map<String, List<String>> nodes = CsiTickets.nodesByVolume(store);
    Csi.ListVolumesResponse.Builder answer =
        Csi.ListVolumesResponse.newBuilder().setNextToken(page.nextToken());
    for (Volume volume : page.entries()) {
      answer.addEntries(
          Csi.ListVolumesResponse.Entry.newBuilder()
              .setVolume(volumes.described(volume))
              .setStatus(
                  Csi.ListVolumesResponse.VolumeStatus.newBuilder()
                      .addAllPublishedNodeIds(nodes.getOrDefault(volume.name(), List.of()))));
    }
    return answer.build();
  }

  Csi.ControllerGetVolumeResponse get(Csi.ControllerGetVolumeRequest request)
      throws StorageException, StatusException {
    Volume volume = volumes.require(request.getVolumeId());
    return Csi.ControllerGetVolumeResponse.newBuilder()
        .setVolume(volumes.described(volume))
        .setStatus(
            Csi.ControllerGetVolumeResponse.VolumeStatus.newBuilder()
                .addAllPublishedNodeIds(
                    CsiTickets.nodesByVolume(store).getOrDefault(volume.name(), List.of())))
        .build();
  }

  Csi.ControllerGetVolumeHealthResponse health(Csi.ControllerGetVolumeHealthRequest request)
      throws StorageException, StatusException {
    return Csi.ControllerGetVolumeHealthResponse.newBuilder()
        .setVolumeHealth(health(volumes.require(request.getVolumeId())))
        .build();
  }

  /** Healthy volumes are omitted, as the specification suggests. */
  Csi.ControllerListVolumeHealthResponse listHealth(Csi.ControllerListVolumeHealthRequest request)
      throws StorageException, StatusException {
    List<Csi.VolumeHealth> troubled =
        volumes.all().stream()
            .map(VolumeListing::health)
            .filter(health -> health.getHealthStatusesCount() > 0)
            .toList();
    ListPage<Csi.VolumeHealth> page =
        ListPage.of(
            troubled,
            Csi.VolumeHealth::getVolumeId,
            request.getStartingToken(),
            request.getMaxEntries());
    return Csi.ControllerListVolumeHealthResponse.newBuilder()
        .addAllEntries(page.entries())
        .setNextToken(page.nextToken())
        .build();
  }

  /** Returns the health problems of a volume. */
  public static Csi.VolumeHealth health(Volume volume) {
    Csi.VolumeHealth.Builder health = Csi.VolumeHealth.newBuilder().setVolumeId(volume.name());
    switch (volume.status().robustness()) {
      case DEGRADED ->
          health.addHealthStatuses(
              entry(
                  Csi.VolumeHealthErrorType.DEGRADED,
                  "Degraded",
                  "fewer than " + volume.spec().numberOfReplicas() + " replicas are current"));
      case FAULTED ->
          health.addHealthStatuses(
              entry(
                  Csi.VolumeHealthErrorType.INACCESSIBLE,
                  "Faulted",
                  "no current replica is available"));
      case HEALTHY, UNKNOWN -> {}
    }
    return health.build();
  }

  public static Csi.VolumeHealth.VolumeHealthEntry entry(
      Csi.VolumeHealthErrorType type, String reason, String message) {
    return Csi.VolumeHealth.VolumeHealthEntry.newBuilder()
        .setStatus(type)
        .setReason(reason)
        .setMessage(message)
        .build();
  }

  /** Returns the free space of the disks that accept new replicas. */
  Csi.GetCapacityResponse capacity(Csi.GetCapacityRequest request)
      throws StorageException, StatusException {
    if (request.getVolumeCapabilitiesCount() > 0) {
      RequestedAccess.all(request.getVolumeCapabilitiesList());
    }
    VolumeSpec wanted = ClassParameters.created(VolumeSpec.EMPTY, request.getParametersMap());
    List<Node> nodes =
        request.hasAccessibleTopology()
            ? topology.nodesIn(request.getAccessibleTopology())
            : store.list(Node.KIND, LabelSelector.ALL).items();
    List<Long> room =
        new DiskRoom(
                store.list(Node.KIND, LabelSelector.ALL).items(),
                store.list(Replica.KIND, LabelSelector.ALL).items())
            .of(wanted, nodes);
    long available = room.stream().mapToLong(Long::longValue).sum();
    long largest = room.stream().mapToLong(Long::longValue).max().orElse(0);
    return Csi.GetCapacityResponse.newBuilder()
        .setAvailableCapacity(available)
        .setMaximumVolumeSize(Int64Value.of(largest))
        .setMinimumVolumeSize(Int64Value.of(SMALLEST))
        .build();
  }
}
