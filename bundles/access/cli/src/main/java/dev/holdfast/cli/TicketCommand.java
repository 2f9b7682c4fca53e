package dev.holdfast.cli;

import dev.holdfast.client.Attachments;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.error.StorageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast ticket …}. */
@Command(
    name = "ticket",
    description = "Delete attachment tickets that an uninstalled attacher left behind.",
    synopsisSubcommandLabel = "COMMAND")
final class TicketCommand extends CommandGroup {
  TicketCommand(Invocation invocation) {
    super(invocation);
  }

  @Command(description = "Delete a ticket of a volume whose attacher is uninstalled.")
  int delete(
      @Parameters(index = "0", paramLabel = "VOLUME", description = "The volume's name.")
          String volume,
      @Parameters(
              index = "1",
              paramLabel = "TICKET",
              description = "The ticket's id, as 'volume why' shows it.")
          String ticket,
      @Option(
              names = "--force",
              description = "Also while the attacher is installed; it may create the ticket again.")
          boolean force)
      throws StorageException {
    return invocation()
        .print(
            store ->
                new VolumeViews(invocation().clock())
                    .ticketDeleted(
                        volume, new Attachments(store).deleteTicket(volume, ticket, force)));
  }
}
