package dev.holdfast.volume.internal;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Users and pods that use volumes at random. */
final class Tenants {
  private static final List<String> TYPES =
      List.of("api", "csi-attacher", "csi-attacher", "backup-controller");

  private final Simulation simulation;
  private final List<String> nodes;
  private final List<String> volumes;

  Tenants(Simulation simulation, List<String> nodes, List<String> volumes) {
    this.simulation = simulation;
    this.nodes = nodes;
    this.volumes = volumes;
  }

  void planFor(Duration time, int actions) {
    for (String volume : volumes) {
      simulation.after(Duration.ofSeconds(1), store -> store.create(Cluster.volume(volume)));
    }
    for (int i = 0; i < actions; i++) {
      long millis = 2_000 + (long) (random().nextDouble() * (time.toMillis() - 3_000));
      simulation.after(Duration.ofMillis(millis), this::act);
    }
  }

  private Random random() {
    return simulation.random();
  }

  private void act(ResourceStore store) throws StorageException {
    String volume = volumes.get(random().nextInt(volumes.size()));
    String ticket = "t" + random().nextInt(3);
    switch (random().nextInt(10)) {
      case 0 -> {
        store.delete(Volume.KIND, volume, "");
      }
      case 1 -> store.create(Cluster.volume(volume));
      case 2, 3, 4 -> edit(store, volume, tickets -> tickets.remove(ticket));
      default -> {
        String node = random().nextInt(5) == 0 ? "" : nodes.get(random().nextInt(nodes.size()));
        String type = TYPES.get(random().nextInt(TYPES.size()));
        edit(
            store,
            volume,
            tickets -> tickets.put(ticket, AttachmentTicket.of(ticket, type, node, Map.of(), 0)));
      }
    }
  }

  private interface Edit {
    void apply(Map<String, AttachmentTicket> tickets);
  }

  private static void edit(ResourceStore store, String volume, Edit edit) throws StorageException {
    Optional<VolumeAttachment> attachment = store.get(VolumeAttachment.KIND, volume);
    if (attachment.isPresent()) {
      Map<String, AttachmentTicket> tickets =
          new LinkedHashMap<>(attachment.get().spec().attachmentTickets());
      edit.apply(tickets);
      store.update(
          attachment.get().withSpec(attachment.get().spec().withAttachmentTickets(tickets)));
    }
  }

  void releaseAll() throws StorageException {
    for (String volume : volumes) {
      edit(simulation.store(), volume, Map::clear);
    }
  }

  void deleteAll() throws StorageException {
    for (Volume volume : simulation.store().list(Volume.KIND, LabelSelector.ALL).items()) {
      try {
        simulation.store().delete(Volume.KIND, volume.name(), "");
      } catch (StorageException e) {
        if (e.code() != ErrorCode.NOT_FOUND) {
          throw e;
        }
      }
    }
  }
}
