package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.controller.Controllers;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeNamespace;
import dev.holdfast.frontend.nvmeof.internal.queue.Connect;
import dev.holdfast.frontend.nvmeof.internal.queue.PduWriter;
import dev.holdfast.frontend.nvmeof.internal.queue.Queue;
import dev.holdfast.frontend.nvmeof.internal.queue.SessionStateCodec;
import dev.holdfast.frontend.nvmeof.internal.queue.Transfers;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import dev.holdfast.frontend.nvmeof.internal.wire.FabricsType;
import dev.holdfast.frontend.nvmeof.internal.wire.PduHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.PduType;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Sgl;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for Connect and creates the queue. An I/O queue waits for an absent controller, which may
 * be on its way from another bundle.
 */
final class ConnectPhase implements Phase, Controllers.Watched {
  static final String NAME = "connecting";

  private static final Logger log = LoggerFactory.getLogger(ConnectPhase.class);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final PduWriter link;
  private final Controllers controllers;
  private final QueueConnect joining;
  private Optional<Connect> waiting = Optional.empty();
  private Optional<CommandData> waitingData = Optional.empty();
  private Optional<Command> waitingCommand = Optional.empty();
  private Optional<NvmeNamespace> volume = Optional.empty();
  private Optional<Queue> queue = Optional.empty();
  private long waitingSince;
  private boolean ended;
  private boolean stopped;

  ConnectPhase(PduWriter link, Controllers controllers, QueueConnect joining) {
    this.link = link;
    this.controllers = controllers;
    this.joining = joining;
  }

  @Override
  public PduWriter link() {
    return link;
  }

  @Override
  public synchronized Phase received(PduHeader header, ByteBuffer input, int start)
      throws ProtocolException {
    if (queue.isPresent()) {
      return settled().received(header, input, start);
    }
    if (header.type() != PduType.COMMAND || waiting.isPresent()) {
      throw new ProtocolException(TermRequest.SEQUENCE_ERROR, 0, "a Connect comes first, alone");
    }
    Command command = Command.parse(input, start + PduHeader.SIZE);
    int length = link.framing().dataLength(header);
    CommandData data = new CommandData(input, start + header.dataOffset(), length, true);
    try {
      connect(command, data, link.framing().dataIntact(header, input, start));
    } catch (RefusedException e) {
      refuse(command, e);
    }
    return settled();
  }

  private void connect(Command command, CommandData data, boolean intact) throws RefusedException {
    if (!command.fabrics() || command.fabricsType() != FabricsType.CONNECT) {
      throw new RefusedException(Status.SEQUENCE_ERROR, "a Connect comes first");
    }
    if (!intact) {
      throw new RefusedException(Status.TRANSIENT_TRANSPORT, "the data's digest is wrong");
    }
    if (command.data().identifier() != Sgl.IN_CAPSULE || command.data().address() != 0) {
      throw new RefusedException(Status.SGL_TYPE_INVALID, "a Connect's data are in its capsule");
    }
    Connect connect = Connect.of(command, data);
    if (connect.queue() == 0) {
      link.respond(accepted(connect, joining.admin(connect, link)));
      return;
    }
    NvmeNamespace found = joining.attach(connect);
    Optional<Queue> made = joining.io(connect, found, link);
    if (made.isPresent()) {
      link.respond(accepted(connect, made.get()));
    } else {
      hold(command, data.copy(), connect, found);
    }
  }

  private void hold(Command command, CommandData data, Connect connect, NvmeNamespace found) {
    waitingCommand = Optional.of(command);
    waitingData = Optional.of(data);
    waiting = Optional.of(connect);
    volume = Optional.of(found);
    controllers.watch(this);
  }

  /** Takes the queue and returns the response to Connect. */
  private CompletionEntry accepted(Connect connect, Queue made) {
    int head = connect.flowControl() ? 1 % connect.entries() : Connect.NO_FLOW_CONTROL;
    made.startAt(1);
    queue = Optional.of(made);
    waiting = Optional.empty();
    int asked = made.authentication().required() ? Connect.AUTHENTICATION : 0;
    return new CompletionEntry(
        made.controller().id().number() | asked, head, connect.command(), Status.SUCCESS);
  }

  private void refuse(Command command, RefusedException why) {
    log.warn("{}: Connect refused: {}", link.connection().peer(), why.getMessage());
    link.respond(new CompletionEntry(why.result(), 0, command.id(), why.status()));
    ended = true;
    link.connection().close();
  }

  @Override
  public synchronized boolean tick(long nowNanos) {
    if (stopped || waiting.isEmpty()) {
      return false;
    }
    // Empty while the session does not have the connection yet; the next tick retries.
    link.connection().message(PduWriter.RESPONSE_BYTES).ifPresent(reply -> retry(reply, nowNanos));
    return waiting.isPresent();
  }

  private void retry(Reply reply, long nowNanos) {
    waitingSince = waitingSince == 0 ? nowNanos : waitingSince;
    Connect connect = waiting.orElseThrow();
    try {
      Optional<Queue> made = joining.io(connect, volume.orElseThrow(), link);
      if (made.isPresent()) {
        link.send(reply, accepted(connect, made.get()));
      } else if (nowNanos - waitingSince > PATIENCE_NANOS) {
        throw connect.noController();
      } else {
        reply.discard();
      }
    } catch (RefusedException e) {
      log.warn("Connect of host {} refused: {}", connect.data().hostName(), e.getMessage());
      waiting = Optional.empty();
      link.send(reply, new CompletionEntry(e.result(), 0, connect.command(), e.status()));
      link.connection().disconnect();
    }
  }

  @Override
  public synchronized boolean ended() {
    return ended;
  }

  @Override
  public synchronized Phase settled() {
    return queue.isPresent() ? new QueuePhase(link, queue.get(), new Transfers()) : this;
  }

  @Override
  public void stop(Runnable whenStopped) {
    controllers.forget(this);
    Optional<Queue> made;
    synchronized (this) {
      stopped = true;
      made = queue;
    }
    if (made.isPresent()) {
      made.get().stop(whenStopped);
    } else {
      whenStopped.run();
    }
  }

  @Override
  public synchronized void save(Map<String, String> fields) {
    fields.put(SessionFields.PHASE, NAME);
    if (waiting.isPresent()) {
      fields.put(SessionFields.CONNECT, SessionStateCodec.of(waitingCommand.orElseThrow()));
      fields.put(
          SessionFields.CONNECT_DATA, SessionStateCodec.of(waitingData.orElseThrow().bytes()));
    }
  }

  static ConnectPhase resume(
      PduWriter link, Controllers controllers, QueueConnect joining, SessionState state)
      throws StorageException {
    ConnectPhase phase = new ConnectPhase(link, controllers, joining);
    if (state.text(SessionFields.CONNECT).isPresent()) {
      phase.resumeWaiting(state);
    }
    return phase;
  }

  private void resumeWaiting(SessionState state) throws StorageException {
    try {
      Command command =
          SessionStateCodec.command(SessionFields.required(state, SessionFields.CONNECT));
      byte[] bytes =
          SessionStateCodec.bytes(SessionFields.required(state, SessionFields.CONNECT_DATA));
      ByteBuffer buffer = ByteBuffer.allocate(ConnectData.SIZE).put(0, bytes);
      CommandData data = new CommandData(buffer, 0, bytes.length, false);
      Connect connect = Connect.of(command, data);
      Optional<NvmeNamespace> attached = joining.attached(connect.data().subsystem());
      hold(command, data, connect, attached.orElseThrow());
    } catch (RuntimeException | RefusedException e) {
      throw SessionStateCodec.unreadable("the Connect", new IllegalStateException(e));
    }
  }
}
