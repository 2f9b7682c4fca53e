package dev.holdfast.portal.internal.transport;

import dev.holdfast.frontend.Reply;
import java.nio.ByteBuffer;

/** A reply of one connection with its buffer; both are reused. */
final class PooledReply implements Reply {
  private final Outbox outbox;
  private final ByteBuffer buffer;
  private final int sizeClass;

  PooledReply(Outbox outbox, ByteBuffer buffer) {
    this.outbox = outbox;
    this.buffer = buffer;
    this.sizeClass = BufferPool.classOf(buffer.capacity());
  }

  int sizeClass() {
    return sizeClass;
  }

  @Override
  public ByteBuffer buffer() {
    return buffer;
  }

  @Override
  public void send() {
    outbox.enqueue(this);
  }

  @Override
  public void discard() {
    outbox.recycle(this);
  }
}
