package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.queue.Framing;
import dev.holdfast.frontend.nvmeof.internal.queue.PduWriter;
import dev.holdfast.frontend.nvmeof.internal.queue.Transfers;
import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.PduHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.PduType;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection: parses PDUs and passes them to the connection's phase. */
final class NvmeSession implements ReplaceableSession {
  private static final Logger log = LoggerFactory.getLogger(NvmeSession.class);
  private static final int LONGEST = Limits.TRANSFER + (1 << 10);

  private final FrontendConnection connection;
  private Phase phase;
  private boolean ended;

  private NvmeSession(FrontendConnection connection, Phase phase, boolean ended) {
    this.connection = connection;
    this.phase = phase;
    this.ended = ended;
  }

  static NvmeSession begin(
      FrontendConnection connection, Controllers controllers, HostPolicy policy) {
    QueueConnect joining = new QueueConnect(connection, controllers, policy);
    return new NvmeSession(connection, new GreetingPhase(connection, controllers, joining), false);
  }

  /**
   * Resumes the state of another session.
   *
   * @throws StorageException UNSUPPORTED when its version or phase is unknown
   */
  static NvmeSession resume(
      FrontendConnection connection, Controllers controllers, HostPolicy policy, SessionState state)
      throws StorageException {
    state.requireReadable(SessionFields.FORMAT, SessionFields.VERSION);
    QueueConnect joining = new QueueConnect(connection, controllers, policy);
    PduWriter link =
        new PduWriter(
            connection,
            Framing.of((int) state.number(SessionFields.DIGESTS, 0)),
            (int) state.number(SessionFields.ALIGNMENT, 0));
    String name = SessionFields.required(state, SessionFields.PHASE);
    Phase phase =
        switch (name) {
          case GreetingPhase.NAME -> new GreetingPhase(connection, controllers, joining);
          case ConnectPhase.NAME -> ConnectPhase.resume(link, controllers, joining, state);
          case QueuePhase.NAME, QueuePhase.AUTHENTICATING ->
              new QueuePhase(
                  link,
                  new QueueResume(connection, controllers, policy).queue(state, link),
                  Transfers.resume(state));
          default ->
              throw new StorageException(
                  ErrorCode.UNSUPPORTED, "the session is in phase '" + name + "', not known here");
        };
    return new NvmeSession(connection, phase, state.flag(SessionFields.ENDED));
  }

  @Override
  public int received(ByteBuffer input) {
    int start = input.position();
    try {
      while (!ended) {
        start = input.position();
        int needed = next(input);
        if (needed > 0) {
          return needed;
        }
      }
    } catch (ProtocolException e) {
      log.warn("{}: {}; its connection is closed", connection.peer(), e.getMessage());
      int blamed = Math.min(TermRequest.MAXIMUM_COPY, input.limit() - start);
      phase.link().terminate(e.answer(), Le.bytes(input, start, blamed));
      end();
    }
    input.position(input.limit());
    return 0;
  }

  /** Handles one PDU. Returns the needed number of bytes when it is incomplete, else 0. */
  private int next(ByteBuffer input) throws ProtocolException {
    int start = input.position();
    if (input.remaining() < PduHeader.SIZE) {
      return PduHeader.SIZE;
    }
    PduHeader header = PduHeader.parse(input, start);
    Framing framing = phase.link().framing();
    framing.check(header);
    if (header.length() > LONGEST) {
      throw new ProtocolException(TermRequest.LIMIT_EXCEEDED, 0, "a PDU is too long");
    }
    if (input.remaining() < header.length()) {
      return (int) header.length();
    }
    framing.checkHeaderDigest(header, input, start);
    if (header.type() == PduType.HOST_TERMINATES) {
      int status = TermRequest.parse(input, start).status();
      log.warn("{} ends its connection with status {}", connection.peer(), status);
      end();
    } else {
      phase = phase.received(header, input, start);
      ended |= phase.ended();
    }
    input.position(start + (int) header.length());
    return 0;
  }

  private void end() {
    ended = true;
    connection.close();
  }

  @Override
  public void stop(Runnable stopped) {
    phase.stop(stopped);
  }

  @Override
  public SessionState state() {
    Map<String, String> fields = new HashMap<>();
    phase = phase.settled();
    PduWriter link = phase.link();
    fields.put(SessionFields.DIGESTS, String.valueOf(link.framing().digests()));
    fields.put(SessionFields.ALIGNMENT, String.valueOf(link.alignment()));
    fields.put(SessionFields.ENDED, String.valueOf(ended));
    phase.save(fields);
    return SessionFields.state(fields);
  }
}
