package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.reserve.HostReservations;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Map;
import java.util.Optional;

/** Identify and log pages of one type of controller. */
public interface AdminPages {
  /** Returns an Identify page. */
  byte[] identify(Command command) throws RefusedException;

  /** Returns a part of a log page. */
  byte[] log(Command command) throws RefusedException;

  /** Returns a value that changes when the host must be notified. */
  long observed();

  /** Reports further events to the host. */
  void notice();

  /** Returns the host's reservations, or empty for discovery. */
  Optional<HostReservations> reservations();

  /** Adds the state that another session needs to resume. */
  void save(Map<String, String> fields);

  /** Returns the range of a log that Get Log Page requests; bytes past the end are zero. */
  static byte[] part(Command command, byte[] log) throws RefusedException {
    long dwords = (command.cdw11() & 0xffffL) << 16 | command.cdw10() >>> 16;
    long length = (dwords + 1) * Integer.BYTES;
    long offset = command.cdw12And13();
    if (offset < 0 || offset > log.length || offset % Integer.BYTES != 0) {
      throw new RefusedException(Status.INVALID_FIELD, "the log has no offset " + offset);
    }
    if (length > Limits.TRANSFER) {
      throw new RefusedException(Status.INVALID_FIELD, length + " bytes are more than a transfer");
    }
    byte[] part = new byte[(int) length];
    System.arraycopy(log, (int) offset, part, 0, (int) Math.min(length, log.length - offset));
    return part;
  }

  /** Returns the log identifier of a command. */
  static int logOf(Command command) {
    return command.cdw10() & 0xff;
  }

  /** Returns whether reading the log retains its event. */
  static boolean keepsEvent(Command command) {
    return (command.cdw10() & 1 << 15) != 0;
  }
}
