package dev.holdfast.attacher.testkit;

import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.Comparator;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A ticket that an attacher must hold. Tickets are equal when their volume, ID, node and parameters
 * are.
 *
 * @param id of the ticket, such as {@code keep-attached-films}; not null
 * @param demand volume, node and frontend, not null
 */
public record ExpectedTicket(String id, TicketDemand demand) implements Comparable<ExpectedTicket> {
  private static final Comparator<ExpectedTicket> ORDER =
      Comparator.comparing(ExpectedTicket::toString);

  /** Validates the components. */
  public ExpectedTicket {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(demand, "demand");
  }

  /** Returns the tickets of a type that are stored. */
  static Set<ExpectedTicket> stored(ResourceStore store, String type) throws StorageException {
    Set<ExpectedTicket> found = new TreeSet<>();
    for (VolumeAttachment attachment :
        store.list(VolumeAttachment.KIND, LabelSelector.ALL).items()) {
      for (AttachmentTicket ticket : attachment.spec().attachmentTickets().values()) {
        if (ticket.type().equals(type)) {
          TicketDemand demand =
              new TicketDemand(attachment.name(), ticket.parameters(), ticket.nodeID());
          found.add(new ExpectedTicket(ticket.id(), demand));
        }
      }
    }
    return found;
  }

  @Override
  public int compareTo(ExpectedTicket other) {
    return ORDER.compare(this, other);
  }

  /** Returns for example {@code films/keep-attached-films at any node {disableFrontend=any}}. */
  @Override
  public String toString() {
    String node = demand.nodeID().isEmpty() ? "any node" : "node " + demand.nodeID();
    return demand.volume() + "/" + id + " at " + node + " " + new TreeMap<>(demand.parameters());
  }
}
