package dev.holdfast.shell.internal;

import dev.holdfast.client.Attachments;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:ticket-delete}. */
@Service
@Command(
    scope = "holdfast",
    name = "ticket-delete",
    description = "Delete a ticket of a volume whose attacher is uninstalled.")
public final class TicketDelete extends StoreCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Argument(
      index = 1,
      name = "ticket",
      description = "The ticket's id, as volume-why shows it.",
      required = true)
  private String ticket;

  @Option(
      name = "--force",
      description = "Also while the attacher is installed; it may create the ticket again.")
  private boolean force;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return volumeViews()
        .ticketDeleted(volume, new Attachments(resources).deleteTicket(volume, ticket, force));
  }
}
