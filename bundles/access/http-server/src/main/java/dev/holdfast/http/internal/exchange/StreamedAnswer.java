package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.HttpAnswer;
import dev.holdfast.http.StreamHandler;
import io.netty.channel.Channel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An answer whose thread may block until the client has read data. For one thread. */
final class StreamedAnswer implements StreamHandler.Answer {
  private static final int PIECE = 32 << 10;

  private final Channel channel;
  private final ResponseSender sender;
  private Optional<Body> body = Optional.empty();
  private boolean sent;

  StreamedAnswer(Channel channel, ResponseSender sender) {
    this.channel = channel;
    this.sender = sender;
  }

  @Override
  public OutputStream begin(int code, List<Map.Entry<String, String>> headers, long length)
      throws IOException {
    claim();
    Body begun = new Body(length);
    begun.checkClient();
    body = Optional.of(begun);
    sender.whenRoom(begun::wake);
    channel.eventLoop().execute(() -> sender.begin(code, headers, length));
    return begun;
  }

  @Override
  public void send(HttpAnswer.Complete answer) {
    claim();
    channel.eventLoop().execute(() -> sender.send(answer));
  }

  private void claim() {
    if (sent) {
      throw new IllegalStateException("an answer was begun");
    }
    sent = true;
  }

  @Override
  public boolean isBegun() {
    return sent;
  }

  /** Returns whether an answer was started and its body is incomplete. */
  boolean isCutOff() {
    return body.filter(begun -> !begun.isComplete()).isPresent();
  }

  /** Wakes the thread, because the client has disconnected. */
  void gone() {
    sender.wakeWriter();
  }

  /** The body; writes block while too much of it is unsent. */
  private final class Body extends OutputStream {
    private final byte[] buffer = new byte[PIECE];
    private final boolean bounded;
    private long left;
    private int filled;
    private boolean closed;

    Body(long length) {
      this.bounded = length >= 0;
      this.left = length;
    }

    boolean isComplete() {
      return closed;
    }

    private synchronized void wake() {
      notifyAll();
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (closed) {
        throw new IOException("the answer is complete");
      }
      left -= length;
      if (bounded && left < 0) {
        throw new IOException("the answer is longer than it was announced");
      }
      int done = 0;
      while (done < length) {
        int count = Math.min(length - done, PIECE - filled);
        System.arraycopy(bytes, offset + done, buffer, filled, count);
        filled += count;
        done += count;
        if (filled == PIECE) {
          flush();
        }
      }
    }

    @Override
    public void flush() throws IOException {
      awaitRoom();
      if (filled > 0) {
        ByteBuffer piece = ByteBuffer.wrap(Arrays.copyOf(buffer, filled));
        sender.reserve(filled);
        filled = 0;
        channel.eventLoop().execute(() -> sender.piece(piece));
      }
    }

    private synchronized void awaitRoom() throws IOException {
      checkClient();
      while (!sender.hasRoom()) {
        try {
          wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("interrupted while a client took its answer");
        }
        checkClient();
      }
    }

    private void checkClient() throws IOException {
      if (!channel.isActive()) {
        throw new IOException("the client has gone");
      }
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      flush();
      if (bounded && left > 0) {
        throw new IOException("the answer is shorter than it was announced, by " + left + " bytes");
      }
      closed = true;
      channel.eventLoop().execute(sender::end);
    }
  }
}
