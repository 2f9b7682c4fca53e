package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.HttpAnswer;
import dev.holdfast.http.HttpLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes one answer, on the event loop. The client must read each piece within a time limit, which
 * restarts with every piece.
 */
final class ResponseSender {
  /** Denotes an unknown length of a body. */
  static final long UNKNOWN = -1;

  private static final int PIECE = 64 << 10;

  /**
   * Properties of the request.
   *
   * @param ofHead whether the request was HEAD, so that no body follows
   * @param olderVersion whether it was HTTP/1.0, which lacks chunks
   * @param multiplexed whether it was HTTP/2
   */
  record Form(boolean ofHead, boolean olderVersion, boolean multiplexed) {}

  private final Channel channel;
  private final Form form;
  private final Duration limit;
  private final LoopDeadline deadline;
  private final Runnable whenSent;
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile Runnable whenRoom = () -> {};
  private volatile boolean begun;
  private boolean keepsAlive;
  private int outstanding;

  ResponseSender(
      Channel channel,
      Form form,
      boolean keepsAlive,
      Duration limit,
      LoopDeadline deadline,
      Runnable whenSent) {
    this.channel = channel;
    this.form = form;
    this.keepsAlive = keepsAlive;
    this.limit = limit;
    this.deadline = deadline;
    this.whenSent = whenSent;
  }

  /** Returns whether an answer was started; from any thread. */
  boolean isBegun() {
    return begun;
  }

  boolean keepsAlive() {
    return keepsAlive;
  }

  void closeAfterwards() {
    keepsAlive = false;
  }

  /** Sets the action that runs when the client has read data; from any thread. */
  void whenRoom(Runnable action) {
    whenRoom = action;
  }

  /** Runs the waiting action, because the client has disconnected; from any thread. */
  void wakeWriter() {
    whenRoom.run();
  }

  /** Returns whether another piece may be written; from any thread. */
  boolean hasRoom() {
    return inFlight.get() < HttpLimits.STREAM_BUFFER;
  }

  /** Writes a complete answer. */
  void send(HttpAnswer.Complete answer) {
    begun = true;
    ByteBuffer body = answer.body().duplicate();
    int length = body.remaining();
    if (form.ofHead()) {
      body.limit(body.position());
    }
    if (body.remaining() <= PIECE) {
      DefaultFullHttpResponse whole =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, status(answer.code()), Unpooled.wrappedBuffer(body));
      fill(whole.headers(), answer.headers(), length);
      write(whole, 0, true);
    } else {
      HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status(answer.code()));
      fill(head.headers(), answer.headers(), length);
      write(head, 0, false);
      ByteBuf rest = Unpooled.wrappedBuffer(body);
      while (rest.readableBytes() > PIECE) {
        write(new DefaultHttpContent(rest.readRetainedSlice(PIECE)), 0, false);
      }
      write(new DefaultLastHttpContent(rest), 0, true);
    }
    channel.flush();
  }

  /** Starts an answer whose body follows. */
  void begin(int code, List<Map.Entry<String, String>> headers, long length) {
    begun = true;
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status(code));
    fill(head.headers(), headers, length);
    write(head, 0, false);
    // Flushes, so that the client sees the start of the answer.
    channel.flush();
  }

  /** Counts the bytes of a piece before it is written; from any thread. */
  void reserve(int bytes) {
    inFlight.addAndGet(bytes);
  }

  /** Writes a piece of the body whose bytes were reserved. */
  void piece(ByteBuffer bytes) {
    int length = bytes.remaining();
    if (form.ofHead()) {
      inFlight.addAndGet(-length);
      return;
    }
    write(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)), length, false);
    channel.flush();
  }

  /** Ends the body. */
  void end() {
    write(LastHttpContent.EMPTY_LAST_CONTENT, 0, true);
    channel.flush();
  }

  private static HttpResponseStatus status(int code) {
    return HttpResponseStatus.valueOf(code);
  }

  private void fill(HttpHeaders target, List<Map.Entry<String, String>> headers, long length) {
    for (Map.Entry<String, String> header : headers) {
      // A line break would start another header.
      target.add(header.getKey(), header.getValue().replaceAll("[\\r\\n]+", " "));
    }
    target.set(
        HttpHeaderNames.DATE,
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            Clock.systemUTC().instant().atOffset(ZoneOffset.UTC)));
    if (length != UNKNOWN) {
      target.set(HttpHeaderNames.CONTENT_LENGTH, length);
    } else if (form.olderVersion()) {
      keepsAlive = false;
    } else if (!form.multiplexed()) {
      target.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    if (!form.multiplexed()) {
      if (!keepsAlive) {
        target.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      } else if (form.olderVersion()) {
        target.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
      }
    }
  }

  private void write(HttpObject object, int bytes, boolean last) {
    outstanding++;
    deadline.within(limit);
    var unused = channel.write(object).addListener(future -> written(future, bytes, last));
  }

  private void written(Future<?> future, int bytes, boolean last) {
    outstanding--;
    inFlight.addAndGet(-bytes);
    if (!future.isSuccess()) {
      deadline.clear();
      var unused = channel.close();
    } else if (outstanding > 0) {
      deadline.within(limit);
    } else {
      deadline.clear();
    }
    if (last && future.isSuccess()) {
      whenSent.run();
    }
    whenRoom.run();
  }
}
