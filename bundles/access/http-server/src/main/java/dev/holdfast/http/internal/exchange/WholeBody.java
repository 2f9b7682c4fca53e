package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.internal.work.LargeBodies;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Collects a body until it is complete. The part beyond 16 KiB is read only with a slot for large
 * bodies. The client's time limit is suspended during the wait for a slot.
 */
final class WholeBody implements RequestBodySink {
  private static final int SMALL = 16 << 10;

  /** Receives the result of reading a body. */
  interface Outcome {
    /** Receives the complete body; call {@code release} after the body was handled. */
    void complete(byte[] body, Runnable release);

    /** Reports that the body exceeds its limit. */
    void tooLarge();

    /** Reports that the body waits for a slot, or has received one and reading continues. */
    void waiting(boolean waits);
  }

  private final int largest;
  private final LargeBodies places;
  private final EventExecutor loop;
  private final Outcome outcome;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final AtomicBoolean owesPlace = new AtomicBoolean();
  private boolean asked;
  private boolean granted;
  private boolean waits;
  private boolean over;

  WholeBody(int largest, LargeBodies places, EventExecutor loop, Outcome outcome) {
    this.largest = largest;
    this.places = places;
    this.loop = loop;
    this.outcome = outcome;
  }

  @Override
  public void take(ByteBuf data) {
    if (over) {
      return;
    }
    if (bytes.size() + data.readableBytes() > largest) {
      fail();
      outcome.tooLarge();
      return;
    }
    byte[] copy = new byte[data.readableBytes()];
    data.getBytes(data.readerIndex(), copy);
    bytes.writeBytes(copy);
    if (bytes.size() > SMALL && !asked) {
      asked = true;
      places.acquire(() -> onLoop(this::grant));
      if (!granted) {
        waits = true;
        outcome.waiting(true);
      }
    }
  }

  private void onLoop(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }

  private void grant() {
    if (over) {
      places.release();
      return;
    }
    granted = true;
    owesPlace.set(true);
    if (waits) {
      waits = false;
      outcome.waiting(false);
    }
  }

  @Override
  public void end() {
    if (!over) {
      over = true;
      outcome.complete(bytes.toByteArray(), this::release);
    }
  }

  @Override
  public void fail() {
    if (!over) {
      over = true;
      release();
    }
  }

  private void release() {
    if (owesPlace.compareAndSet(true, false)) {
      places.release();
    }
  }

  @Override
  public boolean wantsMore() {
    return over || !asked || granted;
  }
}
