package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Invariants of attachment at any time, with the recorded history that they need. */
final class AttachmentInvariants {
  private final DataPathWorld world;
  private final Map<String, String> lastNode = new HashMap<>();
  private final Set<String> seenAttached = new HashSet<>();

  AttachmentInvariants(DataPathWorld world) {
    this.world = world;
  }

  /** I1: at most one node has a volume open. */
  void oneOpen(ResourceStore store) {
    for (String volume : world.volumes()) {
      assertThat(world.nodes(volume)).as("open nodes of " + volume).hasSizeLessThanOrEqualTo(1);
    }
  }

  /** I2: spec.nodeID changes only through "". */
  void nodeChangesThroughEmpty(ResourceStore store) throws StorageException {
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      String uid = volume.metadata().uid();
      String now = volume.spec().nodeID();
      String before = lastNode.getOrDefault(uid, "");
      assertThat(before.isEmpty() || now.isEmpty() || before.equals(now))
          .as("node of " + volume.name() + " from " + before + " to " + now)
          .isTrue();
      lastNode.put(uid, now);
    }
  }

  /** I3: a satisfied ticket was attached as requested at some time since its generation. */
  void satisfiedWasAttached(ResourceStore store) throws StorageException {
    for (VolumeAttachment attachment :
        store.list(VolumeAttachment.KIND, LabelSelector.ALL).items()) {
      Optional<Volume> volume = store.get(Volume.KIND, attachment.name());
      Optional<Engine> engine = Cluster.engine(store, attachment.name());
      for (AttachmentTicket ticket : attachment.spec().attachmentTickets().values()) {
        String key = attachment.metadata().uid() + "/" + ticket.id() + "/" + ticket.generation();
        if (isAttached(volume, engine, ticket)) {
          seenAttached.add(key);
        }
        AttachmentTicketStatus status =
            attachment.status().attachmentTicketStatuses().get(ticket.id());
        if (status != null
            && status.satisfied()
            && status.generation() == ticket.generation()
            && ticket.generation() != 0) {
          assertThat(seenAttached).as("satisfied " + ticket).contains(key);
        }
      }
    }
  }

  private static boolean isAttached(
      Optional<Volume> volume, Optional<Engine> engine, AttachmentTicket ticket) {
    if (volume.isEmpty() || engine.isEmpty()) {
      return false;
    }
    String node = volume.get().spec().nodeID();
    boolean served =
        engine.get().status().currentState() == InstanceState.RUNNING
            && engine.get().status().nodeID().equals(node)
            && !engine.get().status().endpoint().isEmpty();
    return !node.isEmpty()
        && (ticket.nodeID().isEmpty() || ticket.nodeID().equals(node))
        && volume.get().status().currentNodeID().equals(node)
        && volume.get().status().state() == VolumeState.ATTACHED
        && served;
  }

  /** I6: replicas stop after their engine. */
  void replicasOutliveEngine(ResourceStore store) throws StorageException {
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      boolean stopped =
          replica.spec().desireState() == DesireState.STOPPED || replica.isBeingDeleted();
      if (stopped && replica.spec().failedAt().isEmpty()) {
        assertThat(world.nodes(replica.spec().volume()))
            .as("open nodes although " + replica.name() + " was told to stop")
            .isEmpty();
      }
    }
  }

  /** Checks that no volume is open without an engine in the store. */
  void nothingOpenWithoutEngine(ResourceStore store) throws StorageException {
    for (String volume : world.volumes()) {
      if (!world.nodes(volume).isEmpty()) {
        assertThat(Cluster.engine(store, volume)).as("engine of " + volume).isPresent();
      }
    }
  }

  /** Returns whether every unsatisfied ticket has a reason. */
  static boolean everyTicketIsAnswered(VolumeAttachment attachment) {
    return attachment.spec().attachmentTickets().values().stream()
        .allMatch(
            ticket -> {
              AttachmentTicketStatus status =
                  attachment.status().attachmentTicketStatuses().get(ticket.id());
              return status != null
                  && status.generation() == ticket.generation()
                  && Condition.find(status.conditions(), "Satisfied")
                      .filter(condition -> !condition.reason().isEmpty())
                      .isPresent();
            });
  }
}
