package dev.holdfast.commands.verbs;

import dev.holdfast.client.Attachments;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.error.StorageException;
import java.util.List;

/** {@code volume attach}, {@code volume detach} and {@code ticket …}. */
final class AttachVerbs {
  private static final VerbOption<String> TO =
      Common.node("Node to attach it to. Default: the node that has it, else any node.");
  private static final VerbOption<Long> TTL =
      VerbOption.of(
          "--ttl",
          "SECONDS",
          Long.class,
          "Time after which the request is withdrawn. Default: never.");

  static final Verb ATTACH =
      new Verb(
          "volume attach",
          List.of(Common.VOLUME),
          List.of(TO, TTL, Common.NO_WAIT, Common.TIMEOUT),
          "Attach a volume to a node, and wait until it is served there.",
          AttachVerbs::attach);

  private static final VerbOption<String> FROM =
      Common.node("Node to detach it from. Default: all.");
  private static final VerbOption<Boolean> TICKETS =
      VerbOption.flag(
          "--force",
          "Also remove the tickets of pods and maintenance, for a node that is permanently lost.");

  static final Verb DETACH =
      new Verb(
          "volume detach",
          List.of(Common.VOLUME),
          List.of(FROM, TICKETS, Common.CONFIRM, Common.NO_WAIT, Common.TIMEOUT),
          "Remove the request of 'attach', and wait until the volume is detached.",
          AttachVerbs::detach);

  private static final VerbArgument<String> VOLUME =
      VerbArgument.of("VOLUME", String.class, Candidates.VOLUMES, "The volume's name.");
  private static final VerbArgument<String> TICKET =
      VerbArgument.of(
          "TICKET", String.class, Candidates.NONE, "The ticket's id, as 'volume why' shows it.");
  private static final VerbOption<Boolean> INSTALLED =
      VerbOption.flag(
          "--force",
          "Delete it although its attacher is installed, which may create the ticket again.");

  static final Verb TICKET_DELETE =
      new Verb(
          "ticket delete",
          List.of(VOLUME, TICKET),
          List.of(INSTALLED),
          "Delete a ticket of a volume whose attacher is uninstalled.",
          AttachVerbs::deleteTicket);

  private AttachVerbs() {}

  private static Output attach(VerbCall call) throws StorageException {
    return views(call)
        .attached(
            attachments(call)
                .attach(
                    call.get(Common.VOLUME),
                    call.value(TO),
                    call.value(TTL).map(call.context().clock().instant()::plusSeconds),
                    call.waiting()));
  }

  private static Output detach(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    if (call.has(TICKETS)) {
      Common.requireConfirmation(call, name, "pods that still use volume " + name + " lose it");
    }
    call.context().mounts().requireUnmounted(name);
    Attachments attachments = attachments(call);
    return views(call)
        .detached(
            call.has(TICKETS)
                ? attachments.detachAll(name, call.value(FROM), call.waiting())
                : attachments.detach(name, call.value(FROM), call.waiting()));
  }

  private static Output deleteTicket(VerbCall call) throws StorageException {
    String volume = call.get(VOLUME);
    return views(call)
        .ticketDeleted(
            volume, attachments(call).deleteTicket(volume, call.get(TICKET), call.has(INSTALLED)));
  }

  private static Attachments attachments(VerbCall call) throws StorageException {
    return new Attachments(call.context().store());
  }

  private static VolumeViews views(VerbCall call) {
    return new VolumeViews(call.context().clock());
  }
}
