package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.frontend.nvmeof.internal.queue.PduWriter;
import dev.holdfast.frontend.nvmeof.internal.queue.Queue;
import dev.holdfast.frontend.nvmeof.internal.queue.Transfer;
import dev.holdfast.frontend.nvmeof.internal.queue.Transfers;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.DataHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.PduHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.PduType;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import dev.holdfast.frontend.nvmeof.internal.wire.Sgl;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;

/** Commands of a connected queue, and their data. */
final class QueuePhase implements Phase {
  static final String NAME = "queue";

  /** Like QUEUE, for a host that has not authenticated yet; older readers refuse it. */
  static final String AUTHENTICATING = "authenticating";

  private final PduWriter link;
  private final Queue queue;
  private final Transfers transfers;

  QueuePhase(PduWriter link, Queue queue, Transfers transfers) {
    this.link = link;
    this.queue = queue;
    this.transfers = transfers;
  }

  @Override
  public PduWriter link() {
    return link;
  }

  @Override
  public Phase received(PduHeader header, ByteBuffer input, int start) throws ProtocolException {
    int length = link.framing().dataLength(header);
    CommandData data = new CommandData(input, start + header.dataOffset(), length, true);
    boolean intact = link.framing().dataIntact(header, input, start);
    switch (header.type()) {
      case PduType.COMMAND -> command(Command.parse(input, start + PduHeader.SIZE), data, intact);
      case PduType.HOST_DATA -> data(header, DataHeader.parse(input, start), data, intact);
      default ->
          throw new ProtocolException(
              TermRequest.SEQUENCE_ERROR,
              0,
              "PDU " + header.type() + " is not expected in this state");
    }
    // A resumed session has not requested data yet.
    transfers.ask(link);
    return this;
  }

  private void command(Command command, CommandData data, boolean intact) throws ProtocolException {
    if (transfers.has(command.id())) {
      throw new ProtocolException(
          TermRequest.INVALID_FIELD, 10, "command " + command.id() + " is under way already");
    }
    queue.arrived(command);
    Sgl sgl = command.data();
    long needed = command.fromHost();
    if (!sgl.known() && sgl.length() > 0) {
      queue.refuse(command, Status.SGL_TYPE_INVALID);
    } else if (sgl.identifier() == Sgl.IN_CAPSULE) {
      inCapsule(command, data, intact);
    } else if (needed > Limits.TRANSFER) {
      queue.refuse(command, Status.INVALID_FIELD);
    } else if (needed > 0) {
      expect(command);
    } else {
      queue.take(command, CommandData.NONE);
    }
  }

  private void inCapsule(Command command, CommandData data, boolean intact) {
    Sgl sgl = command.data();
    if (sgl.address() < 0 || sgl.address() > data.length()) {
      queue.refuse(command, Status.SGL_OFFSET_INVALID);
    } else if (sgl.length() > data.length() - sgl.address()) {
      queue.refuse(command, Status.DATA_LENGTH_INVALID);
    } else if (!intact) {
      queue.refuse(command, Status.TRANSIENT_TRANSPORT);
    } else {
      int at = data.at() + (int) sgl.address();
      queue.take(command, new CommandData(data.buffer(), at, (int) sgl.length(), true));
    }
  }

  private void expect(Command command) throws ProtocolException {
    if (transfers.count() >= queue.shape().entries()) {
      throw new ProtocolException(
          TermRequest.LIMIT_EXCEEDED, 0, "more commands are under way than the queue has entries");
    }
    transfers.add(command);
  }

  private void data(PduHeader header, DataHeader about, CommandData data, boolean intact)
      throws ProtocolException {
    if (about.length() != data.length()) {
      throw new ProtocolException(
          TermRequest.INVALID_FIELD, 16, "the data's length is not the PDU's");
    }
    Transfer transfer = transfers.find(about);
    Optional<CommandData> all = transfer.take(about, data, header.has(PduType.LAST), intact);
    if (all.isEmpty()) {
      return;
    }
    transfers.done(transfer);
    if (transfer.damaged()) {
      queue.refuse(transfer.command(), Status.TRANSIENT_TRANSPORT);
    } else {
      queue.take(transfer.command(), all.get());
    }
  }

  @Override
  public boolean ended() {
    return false;
  }

  @Override
  public Phase settled() {
    return this;
  }

  @Override
  public void stop(Runnable stopped) {
    queue.stop(stopped);
  }

  @Override
  public void save(Map<String, String> fields) {
    fields.put(SessionFields.PHASE, queue.authentication().passed() ? NAME : AUTHENTICATING);
    SessionFields.put(queue, fields);
    queue.save(fields);
    transfers.save(fields);
  }
}
