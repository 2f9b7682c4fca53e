package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.DataHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * The commands of a connection that wait for data. Data are requested command by command, up to a
 * limit of outstanding bytes. Used by the connection's thread only.
 */
public final class Transfers {
  private static final String ASKED = "transfers";
  private static final String WAITING = "transfers-waiting";

  private final Map<Integer, Transfer> asked = new HashMap<>();
  private final ArrayDeque<Transfer> waiting = new ArrayDeque<>();
  private long requested;

  /** Adds a command; {@link #ask} requests its data. */
  public void add(Command command) {
    waiting.add(new Transfer(command));
  }

  /** Returns the number of waiting commands. */
  public int count() {
    return asked.size() + waiting.size();
  }

  /**
   * Requests data for waiting commands, up to the limit. The tag of a request is its command's
   * identifier.
   */
  public void ask(PduWriter link) {
    while (!waiting.isEmpty()
        && (requested == 0 || requested + waiting.peek().length() <= Limits.REQUESTED)) {
      Transfer next = waiting.poll();
      requested += next.length();
      asked.put(next.command().id(), next);
      link.request(next.command().id(), next.command().id(), next.length());
    }
  }

  /** Returns whether a command with this identifier is already waiting. */
  public boolean has(int command) {
    if (asked.isEmpty() && waiting.isEmpty()) {
      return false; // the usual case
    }
    return asked.containsKey(command)
        || waiting.stream().anyMatch(transfer -> transfer.command().id() == command);
  }

  /** Returns the transfer to which a PDU's data belong. */
  public Transfer find(DataHeader header) throws ProtocolException {
    Transfer transfer = asked.get(header.tag());
    if (transfer == null || transfer.command().id() != header.command()) {
      throw new ProtocolException(
          TermRequest.INVALID_FIELD, 8, "data came for command " + header.command());
    }
    return transfer;
  }

  /** Removes a transfer whose data are complete. */
  public void done(Transfer transfer) {
    asked.remove(transfer.command().id());
    requested -= transfer.length();
  }

  public void save(Map<String, String> fields) {
    fields.put(ASKED, SessionStateCodec.transfers(new ArrayList<>(asked.values())));
    fields.put(WAITING, SessionStateCodec.transfers(new ArrayList<>(waiting)));
  }

  public static Transfers resume(SessionState state) throws StorageException {
    Transfers transfers = new Transfers();
    try {
      for (String line : SessionStateCodec.lines(state.text(ASKED).orElse(""))) {
        Transfer transfer = SessionStateCodec.transfer(line);
        transfers.asked.put(transfer.command().id(), transfer);
        transfers.requested += transfer.length();
      }
      for (String line : SessionStateCodec.lines(state.text(WAITING).orElse(""))) {
        transfers.waiting.add(SessionStateCodec.transfer(line));
      }
    } catch (RuntimeException e) {
      throw SessionStateCodec.unreadable("commands that wait for data", e);
    }
    return transfers;
  }
}
