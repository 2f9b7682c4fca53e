package dev.holdfast.csi.internal.controller;

import dev.holdfast.client.Attachments;
import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.Waiting;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.CsiTickets;
import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Attaches volumes for workloads: writes and removes a ticket for each volume and node, and the
 * controllers execute it. Thread-safe.
 */
final class VolumePublishing {
  private final ResourceStore store;
  private final Attachments attachments;
  private final CsiVolumes volumes;
  private final InFlightCalls claims;
  private final long mostPerNode;

  /**
   * Makes the count and the addition of a ticket atomic, because two volumes may be published on
   * one node.
   */
  private final ReentrantLock counting = new ReentrantLock();

  /**
   * Publishes volumes.
   *
   * @param mostPerNode limit of volumes on one node, 0 for no limit
   */
  VolumePublishing(
      ResourceStore store, CsiVolumes volumes, InFlightCalls claims, long mostPerNode) {
    this.store = store;
    this.attachments = new Attachments(store);
    this.volumes = volumes;
    this.claims = claims;
    this.mostPerNode = mostPerNode;
  }

  Csi.ControllerPublishVolumeResponse publish(Csi.ControllerPublishVolumeRequest request)
      throws StorageException, StatusException {
    if (request.getVolumeId().isEmpty()) {
      throw CsiStatus.invalid("volume_id", "is missing");
    }
    if (request.getNodeId().isEmpty()) {
      throw CsiStatus.invalid("node_id", "is missing");
    }
    RequestedAccess access =
        RequestedAccess.of(
            "volume_capability", request.hasVolumeCapability(), request.getVolumeCapability());
    Volume volume = volumes.require(request.getVolumeId());
    if (store.get(Node.KIND, request.getNodeId()).isEmpty()) {
      throw CsiStatus.notFound("node_id: there is no node \"" + request.getNodeId() + "\"");
    }
    if (!access.fits(volume.spec().accessMode())) {
      throw CsiStatus.invalid(
          "volume_capability.access_mode",
          "volume " + volume.name() + " was made for " + volume.spec().accessMode());
    }
    access.requireKind("volume_capability", volume);
    return claims.on("volume " + volume.name(), () -> publish(request, volume, access));
  }

  private Csi.ControllerPublishVolumeResponse publish(
      Csi.ControllerPublishVolumeRequest request, Volume volume, RequestedAccess access)
      throws StorageException, StatusException {
    AttachmentTicket ticket = ticket(request, volume, access);
    counting.lock();
    try {
      requireRoom(volume.name(), request.getNodeId());
      // Does not wait, because other calls may count the ticket as soon as it is written.
      var unused = attachments.attachBy(volume.name(), ticket, Waiting.none());
    } finally {
      counting.unlock();
    }
    var attached = attachments.attachBy(volume.name(), ticket, CallReplies.waiting());
    return Csi.ControllerPublishVolumeResponse.newBuilder()
        .putPublishContext("attachedTo", attached.status().currentNodeID())
        .build();
  }

  private AttachmentTicket ticket(
      Csi.ControllerPublishVolumeRequest request, Volume volume, RequestedAccess access)
      throws StorageException, StatusException {
    String node = request.getNodeId();
    List<AttachmentTicket> present =
        store.get(VolumeAttachment.KIND, volume.name()).map(CsiTickets::of).orElse(List.of());
    AttachmentTicket wanted =
        CsiTickets.ticket(volume.name(), node, node, access, request.getReadonly());
    for (AttachmentTicket other : present) {
      if (other.id().equals(wanted.id())) {
        if (!CsiTickets.isLike(other, wanted)) {
          throw CsiStatus.alreadyExists(
              "volume "
                  + volume.name()
                  + " is published on node "
                  + node
                  + " already as "
                  + CsiTickets.words(other));
        }
      } else if (!CsiTickets.sharesWith(other, access)) {
        throw CsiStatus.failedPrecondition(
            "volume "
                + volume.name()
                + " is published on node "
                + CsiTickets.node(other)
                + " as "
                + CsiTickets.words(other));
      }
    }
    if (access.writesOnManyNodes() && !ShareManager.isShared(volume) && !servesManyNodes(volume)) {
      requireAMove(volume.name(), node, present);
    }
    boolean reader = access.readsOnly() && access.onManyNodes();
    boolean servedElsewhere = !volume.spec().nodeID().isEmpty() && !ShareManager.isShared(volume);
    return reader && servedElsewhere
        // Readers reach the engine over the network.
        ? CsiTickets.ticket(
            volume.name(), node, volume.spec().nodeID(), access, request.getReadonly())
        : wanted;
  }

  /** Returns whether the engine permits any number of nodes to use the volume as a device. */
  private boolean servesManyNodes(Volume volume) throws StorageException {
    return EngineDeclaration.of(
            volume.spec().dataEngine(), store.list(Node.KIND, LabelSelector.ALL).items())
        .servesManyNodes();
  }

  /** Checks that a migrating volume is attached only to its source node and its target node. */
  private static void requireAMove(String volume, String node, List<AttachmentTicket> present)
      throws StatusException {
    List<String> others =
        present.stream()
            .map(CsiTickets::node)
            .filter(other -> !other.equals(node))
            .distinct()
            .sorted()
            .toList();
    if (others.size() > 1) {
      throw CsiStatus.failedPrecondition(
          "volume "
              + volume
              + " is published on nodes "
              + String.join(" and ", others)
              + ", and can be on no more than two: its engine does not serve more nodes");
    }
  }

  private void requireRoom(String volume, String node) throws StorageException, StatusException {
    if (mostPerNode == 0) {
      return;
    }
    Map<String, List<String>> nodes = CsiTickets.nodesByVolume(store);
    long there =
        nodes.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(volume) && entry.getValue().contains(node))
            .count();
    if (there >= mostPerNode) {
      throw CsiStatus.exhausted(
          "node " + node + " has " + there + " volumes, and may have " + mostPerNode);
    }
  }

  Csi.ControllerUnpublishVolumeResponse unpublish(Csi.ControllerUnpublishVolumeRequest request)
      throws StorageException, StatusException {
    String id = request.getVolumeId();
    if (id.isEmpty()) {
      throw CsiStatus.invalid("volume_id", "is missing");
    }
    return claims.on(
        "volume " + id,
        () -> {
          // Also without a ticket, because an earlier call may have removed it and crashed during
          // the wait.
          for (String ticket : ticketsToRelease(id, request.getNodeId())) {
            release(id, ticket);
          }
          awaitOff(id, request.getNodeId());
          return Csi.ControllerUnpublishVolumeResponse.getDefaultInstance();
        });
  }

  /**
   * Waits until a node can no longer use the volume. A target node of a move, or a node that served
   * the volume too, may use it until its exclusion is confirmed.
   */
  private void awaitOff(String name, String node) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(Volume.KIND, name);
      var unused =
          observation.await(
              "volume " + name,
              CallReplies.waiting(),
              () ->
                  Optional.of(name)
                      .filter(n -> volume.latest().filter(v -> mayUse(v, node)).isEmpty()),
              () -> "node " + node + " to give it up");
    }
  }

  private static boolean mayUse(Volume volume, String node) {
    boolean joins =
        volume.spec().migrationNodeID().equals(node)
            || volume.spec().servingNodeIDs().contains(node);
    boolean joined = volume.status().isForwardedBy(node) && !volume.spec().nodeID().equals(node);
    return !node.isEmpty() && (joins || joined);
  }

  private List<String> ticketsToRelease(String volume, String node) throws StorageException {
    if (!node.isEmpty()) {
      return List.of(CsiNames.ticketId(volume, node));
    }
    List<String> all =
        store.get(VolumeAttachment.KIND, volume).map(CsiTickets::of).orElse(List.of()).stream()
            .map(AttachmentTicket::id)
            .toList();
    return all.isEmpty() ? List.of(CsiNames.ticketId(volume, "")) : all;
  }

  private void release(String volume, String ticket) throws StorageException {
    try {
      var unused = attachments.releaseTicket(volume, ticket, CallReplies.waiting());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }
}
