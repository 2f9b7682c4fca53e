package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.CommandData;
import dev.holdfast.frontend.nvmeof.internal.wire.DataHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A command that waits for its data. Data in one PDU, the usual case, are used in the input; data
 * in several PDUs are gathered here.
 */
public final class Transfer {
  private final Command command;
  private final int length;
  private Optional<ByteBuffer> gathered = Optional.empty();
  private int received;
  private boolean damaged;

  Transfer(Command command) {
    this.command = command;
    this.length = (int) command.data().length();
  }

  public Command command() {
    return command;
  }

  int length() {
    return length;
  }

  /** Returns whether data were damaged in transit. */
  public boolean damaged() {
    return damaged;
  }

  /**
   * Takes data of a PDU.
   *
   * @return all data of the command if these were the last ones
   */
  public Optional<CommandData> take(
      DataHeader header, CommandData data, boolean last, boolean intact) throws ProtocolException {
    if (header.offset() != received || data.length() > length - received) {
      throw new ProtocolException(
          TermRequest.OUT_OF_RANGE, 0, "data were not requested, or arrived out of order");
    }
    boolean complete = data.length() == length - received;
    if (last != complete) {
      throw new ProtocolException(
          TermRequest.INVALID_FIELD, 1, "data are marked as the last before the end");
    }
    damaged |= !intact;
    if (complete && received == 0) {
      return Optional.of(data);
    }
    ByteBuffer all = gathered.orElseGet(() -> ByteBuffer.allocateDirect(length));
    gathered = Optional.of(all);
    all.put(received, data.buffer(), data.at(), data.length());
    received += data.length();
    return complete ? Optional.of(new CommandData(all, 0, length, false)) : Optional.empty();
  }

  /** Returns the data received so far. */
  byte[] soFar() {
    return gathered.map(all -> Le.bytes(all, 0, received)).orElseGet(() -> new byte[0]);
  }

  /** Resumes with the data received so far. */
  void resume(byte[] soFar, boolean wasDamaged) {
    damaged = wasDamaged;
    if (soFar.length > 0) {
      received = soFar.length;
      gathered = Optional.of(ByteBuffer.allocateDirect(length).put(0, soFar));
    }
  }
}
