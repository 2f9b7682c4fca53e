package dev.holdfast.nvme.host.internal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/** Reads PDUs. Data go from the socket to their buffer with at most one copy. For one thread. */
final class PduReader {
  private static final int COMMON = 8;
  private static final int BUFFER = 65_536;

  private final SocketChannel channel;
  private final ByteBuffer input = ByteBuffer.allocateDirect(BUFFER).limit(0);
  private final ByteBuffer header = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);

  PduReader(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Returns the header of the next PDU, valid until the next call. Its data have not been read.
   *
   * @throws IOException when the connection ends, or the header is not one of a target
   */
  ByteBuffer next() throws IOException {
    fill(header.clear().limit(COMMON));
    int size = PduFormat.headerSize(header);
    int extra = PduFormat.isTermination(header) ? header.getInt(4) - size : 0;
    if (size < COMMON || size > 128 || extra < 0 || extra > 128) {
      throw new IOException("the target sent a header of " + size + " bytes");
    }
    fill(header.limit(size + extra).position(COMMON));
    PduFormat.check(header.position(0));
    return header;
  }

  /** Reads the data of a PDU. */
  void data(ByteBuffer pdu, ByteBuffer target) throws IOException {
    int padding = PduFormat.dataOffset(pdu) - PduFormat.headerSize(pdu);
    fill(ByteBuffer.allocate(padding));
    fill(target);
  }

  private void fill(ByteBuffer target) throws IOException {
    while (target.hasRemaining()) {
      if (input.hasRemaining()) {
        int bytes = Math.min(input.remaining(), target.remaining());
        target.put(target.position(), input, input.position(), bytes);
        target.position(target.position() + bytes);
        input.position(input.position() + bytes);
      } else if (target.remaining() >= BUFFER) {
        requireMore(channel.read(target));
      } else {
        int count = channel.read(input.clear());
        input.flip();
        requireMore(count);
      }
    }
  }

  private static void requireMore(int count) throws IOException {
    if (count < 0) {
      throw new EOFException("the target closed the connection");
    }
  }
}
