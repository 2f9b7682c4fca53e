package dev.holdfast.portal.internal.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * The socket itself, in non-blocking mode, for devices that complete on threads which also serve
 * others. {@link #offer} never waits; readers and writers each wait with a separate selector.
 */
public final class NonBlockingTransport implements Transport {
  private final SocketChannel channel;
  private final Selector readable;
  private final Selector writable;

  /** Uses a socket without a reader or writer. */
  NonBlockingTransport(SocketChannel channel) throws IOException {
    this.channel = channel;
    readable = Selector.open();
    writable = Selector.open();
    channel.configureBlocking(false);
    channel.register(readable, SelectionKey.OP_READ);
    channel.register(writable, SelectionKey.OP_WRITE);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    int count = channel.read(target);
    while (count == 0) {
      await(readable);
      count = channel.read(target);
    }
    return count;
  }

  @Override
  public void write(ByteBuffer[] sources, int count) throws IOException {
    while (!offer(sources, count)) {
      await(writable);
    }
  }

  /** Writes as much as the client accepts now. Returns whether all bytes were written. */
  boolean offer(ByteBuffer[] sources, int count) throws IOException {
    int first = firstRemaining(sources, 0, count);
    while (first < count) {
      long written =
          first + 1 == count
              ? channel.write(sources[first])
              : channel.write(sources, first, count - first);
      first = firstRemaining(sources, first, count);
      if (written == 0 && first < count) {
        return false;
      }
    }
    return true;
  }

  private static int firstRemaining(ByteBuffer[] sources, int from, int count) {
    int first = from;
    while (first < count && !sources[first].hasRemaining()) {
      first++;
    }
    return first;
  }

  private void await(Selector selector) throws IOException {
    try {
      selector.select(key -> {});
    } catch (ClosedSelectorException e) {
      throw new IOException("the connection was closed", e);
    }
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public Optional<NonBlockingTransport> prompt() {
    return Optional.of(this);
  }

  /** Wakes threads that wait for a closed socket. */
  public void wake() {
    readable.wakeup();
    writable.wakeup();
  }

  @Override
  public void close() throws IOException {
    channel.close();
    readable.close();
    writable.close();
  }
}
