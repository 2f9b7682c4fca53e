package dev.holdfast.engine.sparse.internal.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** An unencrypted socket, for connections within one host. */
public final class PlainDataSocket implements DataSocket {
  private final SocketChannel channel;

  public PlainDataSocket(SocketChannel channel) {
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public boolean write(ByteBuffer[] sources, int first, int end) throws IOException {
    int next = first;
    while (next < end) {
      long sent =
          next + 1 == end ? channel.write(sources[next]) : channel.write(sources, next, end - next);
      while (next < end && !sources[next].hasRemaining()) {
        next++;
      }
      if (sent == 0 && next < end) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean readsAhead() {
    return false;
  }

  @Override
  public boolean hasUnsent() {
    return false;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
