package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.internal.work.LargeBodies;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A body that is kept until it is complete. The part beyond 16 KiB is read only with a place among
 * the large bodies; the client's time does not run while its request waits for one.
 */
final class WholeBody implements RequestBodySink {
  private static final int SMALL = 16 << 10;

  /** Receiver of the outcome of reading a body. */
  interface Outcome {
    /** The body is complete; {@code release} is to be called when it was handled. */
    void complete(byte[] body, Runnable release);

    /** The body is larger than it may be. */
    void tooLarge();

    /** The body waits for a place, or has got it and is to be read on. */
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
