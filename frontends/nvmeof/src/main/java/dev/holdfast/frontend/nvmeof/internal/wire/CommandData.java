package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * The complete data of one command.
 *
 * @param buffer buffer that contains them
 * @param at index of their first byte
 * @param length in bytes
 * @param input whether the buffer is the connection's input, which must be retained while it is
 *     used
 */
public record CommandData(ByteBuffer buffer, int at, int length, boolean input) {
  /** No data. */
  public static final CommandData NONE = new CommandData(ByteBuffer.allocate(0), 0, 0, false);

  /** Returns a view for a device. */
  public ByteBuffer view(int bytes) {
    return buffer.duplicate().limit(at + bytes).position(at);
  }

  /** Returns a copy that is independent of the input. */
  public CommandData copy() {
    ByteBuffer own = ByteBuffer.allocateDirect(length).put(view(length)).flip();
    return new CommandData(own, 0, length, false);
  }

  public byte[] bytes() {
    return Le.bytes(buffer, at, length);
  }
}
