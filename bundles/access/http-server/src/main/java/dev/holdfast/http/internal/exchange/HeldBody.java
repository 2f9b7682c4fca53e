package dev.holdfast.http.internal.exchange;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Keeps data that arrives with the head of a request until the request is admitted. The client is
 * not read during this time. Runs on the event loop.
 */
final class HeldBody implements RequestBodySink {
  private final Deque<ByteBuf> pieces = new ArrayDeque<>();
  private boolean ended;

  @Override
  public void take(ByteBuf bytes) {
    pieces.add(bytes.retain());
  }

  @Override
  public void end() {
    ended = true;
  }

  @Override
  public void fail() {
    pieces.forEach(ByteBuf::release);
    pieces.clear();
  }

  @Override
  public boolean wantsMore() {
    return false;
  }

  /** Passes the kept data to another sink. */
  void passTo(RequestBodySink sink) {
    pieces.forEach(sink::take);
    fail();
    if (ended) {
      sink.end();
    }
  }
}
