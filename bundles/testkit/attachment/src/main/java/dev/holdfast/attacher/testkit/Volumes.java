package dev.holdfast.attacher.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** Volumes and tickets for tests of attachers. */
public final class Volumes {
  private Volumes() {}

  /** Returns a detached volume of 1 GiB without storing it. */
  public static Volume detached(String name) {
    return Volume.of(name, VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")))
        .withStatus(VolumeStatus.EMPTY.withState(VolumeState.DETACHED));
  }

  /** Stores a detached volume and its attachment, which has no tickets. */
  public static Volume create(ResourceStore store, String name) throws StorageException {
    Volume volume = detached(name);
    Volume created = store.create(volume);
    created = store.updateStatus(created.withStatus(volume.status()));
    store.create(VolumeAttachment.of(name, new VolumeAttachmentSpec(name, Map.of())));
    return created;
  }

  /** Changes the status of a stored volume. */
  public static void status(ResourceStore store, String name, UnaryOperator<VolumeStatus> change)
      throws StorageException {
    Volume volume = store.get(Volume.KIND, name).orElseThrow();
    store.updateStatus(volume.withStatus(change.apply(volume.status())));
  }

  /** Changes the spec of a stored volume. */
  public static void spec(ResourceStore store, String name, UnaryOperator<VolumeSpec> change)
      throws StorageException {
    Volume volume = store.get(Volume.KIND, name).orElseThrow();
    store.update(volume.withSpec(change.apply(volume.spec())));
  }

  /** Stores a ticket, as a user or a driver does. */
  public static void put(ResourceStore store, String volume, AttachmentTicket ticket)
      throws StorageException {
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, volume).orElseThrow();
    Map<String, AttachmentTicket> tickets =
        new LinkedHashMap<>(attachment.spec().attachmentTickets());
    tickets.put(ticket.id(), ticket);
    store.update(attachment.withSpec(attachment.spec().withAttachmentTickets(tickets)));
  }

  /** Returns the tickets of a type as {@code volume/id}. */
  public static Set<String> tickets(ResourceStore store, String type) throws StorageException {
    Set<String> found = new TreeSet<>();
    for (VolumeAttachment attachment :
        store.list(VolumeAttachment.KIND, LabelSelector.ALL).items()) {
      attachment.spec().attachmentTickets().values().stream()
          .filter(ticket -> ticket.type().equals(type))
          .forEach(ticket -> found.add(attachment.name() + "/" + ticket.id()));
    }
    return found;
  }

  /** Returns metadata of a part of a volume. */
  public static ObjectMeta part(String name, String volume) {
    return ObjectMeta.named(name).withLabels(Map.of(Volume.LABEL, volume));
  }
}
