package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutResponse;
import java.util.List;
import java.util.Optional;

/**
 * Logouts (RFC 7143, 11.14) of the session, of this connection, or of another connection. Used by
 * the connection's thread.
 */
final class Logout {
  private static final int SESSION = 0;
  private static final int CONNECTION = 1;
  private static final int NO_CONNECTION = 1;
  private static final int NO_RECOVERY = 2;
  private static final int TIME_TO_WAIT = 2;

  private final PduOutput output;
  private final int own;
  private final Optional<Commands> commands;

  /**
   * Creates the handler of a connection's logouts.
   *
   * @param own the initiator's identifier of it
   * @param commands its commands, empty in a discovery session; not null
   */
  Logout(PduOutput output, int own, Optional<Commands> commands) {
    this.output = output;
    this.own = own;
    this.commands = commands;
  }

  /** Responds to a request. Returns whether this connection must end. */
  boolean asked(LogoutRequest request) {
    if (!output.sequence().take(request.immediate(), request.cmdSn())) {
      return false;
    }
    Optional<MultiConnectionSession> joint = commands.flatMap(Commands::joint);
    if (request.reason() > CONNECTION) {
      respond(request, NO_RECOVERY);
      return false;
    }
    if (joint.isPresent()) {
      return leave(request, joint.get(), commands.get());
    }
    respond(request, 0);
    return true;
  }

  private boolean leave(LogoutRequest request, MultiConnectionSession session, Commands mine) {
    if (request.reason() == SESSION) {
      List<Commands> all = session.companions().all();
      Reply reply = output.reply(0);
      // The session keeps its name until all its requests have left the device.
      mine.management().abort(all, task -> true, () -> respond(request, 0, reply));
      session.close();
      return true;
    }
    if (request.cid() == own) {
      session.leave(own);
      respond(request, 0);
      return true;
    }
    if (!session.has(request.cid())) {
      respond(request, NO_CONNECTION);
      return false;
    }
    Optional<Commands> other = session.companions().of(request.cid());
    session.leave(request.cid());
    Reply reply = output.reply(0);
    mine.management()
        .abort(other.stream().toList(), task -> true, () -> respond(request, 0, reply));
    other.ifPresent(Commands::disconnect);
    return false;
  }

  private void respond(LogoutRequest request, int response) {
    respond(request, response, output.reply(0));
  }

  private void respond(LogoutRequest request, int response, Reply reply) {
    new LogoutResponse(response, request.tag(), 0, 0, 0, TIME_TO_WAIT, 0).write(reply.buffer());
    output.sequence().sendStatus(reply, 0, false);
  }
}
