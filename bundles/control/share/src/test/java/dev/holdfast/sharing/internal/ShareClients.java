package dev.holdfast.sharing.internal;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Surroundings of shares in a simulation: workloads, administrators, an engine that attaches
 * volumes to the node of the share's ticket, and hosts on which processes die.
 */
final class ShareClients {
  static final List<String> NODES = List.of("n1", "n2", "n3");
  static final List<String> VOLUMES = List.of("a", "b");
  private static final VolumeSpec SPEC =
      VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withAccessMode(AccessMode.READ_WRITE_MANY);

  private final Simulation running;
  private final ShareHosts hosts;
  private int attachments;
  private boolean calm;

  ShareClients(Simulation running, ShareHosts hosts) {
    this.running = running;
    this.hosts = hosts;
  }

  void begin() throws StorageException {
    for (String name : NODES) {
      Node node = running.store().create(Node.of(name, NodeSpec.EMPTY));
      Condition ready =
          new Condition(Condition.READY, Condition.Status.TRUE, "NodeReady", "", Instant.EPOCH);
      running
          .store()
          .updateStatus(
              node.withStatus(
                  node.status().withAddress("10.0.0.1").withConditions(List.of(ready))));
    }
    attachAndRepeat();
  }

  void calm() throws StorageException {
    calm = true;
    for (Node node : running.store().list(Node.KIND, LabelSelector.ALL).items()) {
      running.store().update(node.withSpec(node.spec().withAllowScheduling(true)));
    }
    for (Volume volume : running.store().list(Volume.KIND, LabelSelector.ALL).items()) {
      running
          .store()
          .updateStatus(volume.withStatus(volume.status().withRobustness(Robustness.HEALTHY)));
    }
  }

  private int chance(int bound) {
    return running.random().nextInt(bound);
  }

  private void attachAndRepeat() {
    running.after(
        Duration.ofMillis(300 + chance(1500)),
        store -> {
          attachAndRepeat();
          for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
            attach(volume, store);
          }
        });
  }

  private void attach(Volume volume, ResourceStore store) throws StorageException {
    if (store.get(VolumeAttachment.KIND, volume.name()).isEmpty()) {
      store.create(
          VolumeAttachment.of(volume.name(), new VolumeAttachmentSpec(volume.name(), Map.of())));
    }
    String wanted = ticket(volume.name(), store).map(AttachmentTicket::nodeID).orElse("");
    VolumeStatus status = volume.status();
    boolean faulted = status.robustness() == Robustness.FAULTED;
    if (status.state() == VolumeState.ATTACHED
        && (faulted || !status.currentNodeID().equals(wanted))) {
      hosts.detached(volume.name());
      write(volume, VolumeState.DETACHED, "", "", store);
    } else if (status.state() != VolumeState.ATTACHED && !wanted.isEmpty() && !faulted) {
      String endpoint = "nbd://" + wanted + "/" + volume.name() + "?opening=" + ++attachments;
      hosts.attached(volume.name(), endpoint);
      write(volume, VolumeState.ATTACHED, wanted, endpoint, store);
    }
  }

  private static void write(
      Volume volume, VolumeState state, String node, String endpoint, ResourceStore store)
      throws StorageException {
    store.updateStatus(
        volume.withStatus(
            volume.status().withState(state).withCurrentNodeID(node).withEndpoint(endpoint)));
  }

  static Optional<AttachmentTicket> ticket(String volume, ResourceStore store)
      throws StorageException {
    return store.get(VolumeAttachment.KIND, volume).stream()
        .flatMap(found -> found.spec().attachmentTickets().values().stream())
        .filter(ticket -> ticket.type().equals(ShareManager.ATTACHER))
        .findFirst();
  }

  /** Causes a random event. */
  void disturb(ResourceStore store) throws StorageException {
    String volume = VOLUMES.get(chance(VOLUMES.size()));
    String node = NODES.get(chance(NODES.size()));
    switch (chance(9)) {
      case 0, 1 -> create(volume, store);
      case 2 -> workload(volume, store, true);
      case 3 -> workload(volume, store, chance(3) > 0);
      case 4 -> cordon(node, store);
      case 5 -> fault(volume, store);
      case 6 -> harm(node, volume);
      case 7 -> running.crash(node);
      default -> {
        if (chance(3) == 0) {
          delete(volume, store);
        }
      }
    }
  }

  void create(String volume, ResourceStore store) throws StorageException {
    if (store.get(Volume.KIND, volume).isEmpty()) {
      store.create(Volume.of(volume, SPEC));
      workload(volume, store, true);
    }
  }

  private void delete(String volume, ResourceStore store) throws StorageException {
    store.delete(Volume.KIND, volume, "");
    hosts.detached(volume);
    store.delete(VolumeAttachment.KIND, volume, "");
  }

  void workload(String volume, ResourceStore store, boolean wanted) throws StorageException {
    Optional<VolumeAttachment> found = store.get(VolumeAttachment.KIND, volume);
    VolumeAttachment attachment =
        found.isPresent()
            ? found.get()
            : store.create(VolumeAttachment.of(volume, new VolumeAttachmentSpec(volume, Map.of())));
    Map<String, AttachmentTicket> tickets =
        new LinkedHashMap<>(attachment.spec().attachmentTickets());
    if (wanted) {
      AttachmentTicket ticket = AttachmentTicket.of("pod", WorkloadTickets.TYPE, "n3", Map.of(), 1);
      tickets.putIfAbsent("pod", ticket);
    } else {
      tickets.remove("pod");
    }
    store.update(attachment.withSpec(attachment.spec().withAttachmentTickets(tickets)));
  }

  private void cordon(String name, ResourceStore store) throws StorageException {
    Node node = store.get(Node.KIND, name).orElseThrow();
    store.update(node.withSpec(node.spec().withAllowScheduling(!node.spec().allowScheduling())));
  }

  private static void fault(String name, ResourceStore store) throws StorageException {
    Optional<Volume> volume = store.get(Volume.KIND, name);
    if (volume.isPresent()) {
      boolean faulted = volume.get().status().robustness() == Robustness.FAULTED;
      store.updateStatus(
          volume
              .get()
              .withStatus(
                  volume
                      .get()
                      .status()
                      .withRobustness(faulted ? Robustness.HEALTHY : Robustness.FAULTED)));
    }
  }

  private void harm(String node, String volume) {
    FakeShareServer.Made made = hosts.server(node).made().get(volume);
    if (calm || made == null) {
      return;
    }
    switch (chance(4)) {
      case 0 -> made.process = ServerProcess.DEAD;
      case 1 -> made.hung = true;
      case 2 -> made.broken = true;
      default -> made.process = ServerProcess.ZOMBIE;
    }
  }
}
