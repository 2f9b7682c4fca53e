package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * A completion queue entry.
 *
 * @param result dwords 0 and 1
 * @param head of the submission queue; reserved without flow control
 * @param command identifier of the command that it completes
 * @param status a constant of {@link Status}
 */
public record CompletionEntry(long result, int head, int command, int status) {
  /** Size in bytes. */
  public static final int SIZE = 16;

  /** Creates a successful completion without a result. */
  public static CompletionEntry of(Command command, int status) {
    return new CompletionEntry(0, 0, command.id(), status);
  }

  /** Returns this entry with the head of the submission queue. */
  public CompletionEntry at(int head) {
    return new CompletionEntry(result, head, command, status);
  }

  /** Reads the fields. */
  public static CompletionEntry parse(ByteBuffer buffer, int at) {
    return new CompletionEntry(
        Le.i64(buffer, at),
        Le.u16(buffer, at + 8),
        Le.u16(buffer, at + 12),
        Le.u16(buffer, at + 14) >> 1);
  }

  /** Writes the fields; queue identifier and phase are reserved in fabrics. */
  public void put(ByteBuffer buffer, int at) {
    Le.put64(buffer, at, result);
    Le.put16(buffer, at + 8, head);
    Le.put16(buffer, at + 10, 0);
    Le.put16(buffer, at + 12, command);
    Le.put16(buffer, at + 14, status << 1);
  }
}
