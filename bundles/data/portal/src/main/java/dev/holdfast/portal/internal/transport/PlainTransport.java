package dev.holdfast.portal.internal.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * The socket itself, in blocking mode: at queue depth 1 a selector would cost two more system calls
 * per request.
 */
public final class PlainTransport implements Transport {
  private final SocketChannel channel;

  public PlainTransport(SocketChannel channel) {
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public void write(ByteBuffer[] sources, int count) throws IOException {
    if (count == 1) {
      while (sources[0].hasRemaining()) {
        channel.write(sources[0]);
      }
      return;
    }
    int first = 0;
    while (first < count) {
      channel.write(sources, first, count - first);
      while (first < count && !sources[first].hasRemaining()) {
        first++;
      }
    }
  }

  @Override
  public Optional<NonBlockingTransport> prompt() throws IOException {
    return Optional.of(new NonBlockingTransport(channel));
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
