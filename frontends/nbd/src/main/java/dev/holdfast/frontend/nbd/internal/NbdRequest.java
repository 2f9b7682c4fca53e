package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.Reply;
import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A reusable request at the device, or one part of a large read.
 *
 * <pre>
 *   ISSUED --completed, same call--> COMPLETED: the connection's thread answers
 *   ISSUED --detach--> DETACHED --completed, later--> the completing thread answers
 * </pre>
 */
final class NbdRequest implements Completion {
  private static final int ISSUED = 0;
  private static final int COMPLETED = 1;
  private static final int DETACHED = 2;
  private static final AtomicIntegerFieldUpdater<NbdRequest> STATE =
      AtomicIntegerFieldUpdater.newUpdater(NbdRequest.class, "state");

  private final Transmission transmission;
  private volatile int state;
  private StorageException failure;
  private Reply reply;
  private InputLease lease;
  private int type;
  private long cookie;
  private long offset;
  private int length;
  private ReadParts parts;
  private BlockStatus status;
  private ByteBuffer source;
  private ByteBuffer sourceOf;

  NbdRequest(Transmission transmission) {
    this.transmission = transmission;
  }

  /** Prepares the object for another request. */
  NbdRequest begin(Reply taken, Header header, long from, int bytes) {
    failure = null;
    reply = taken;
    type = header.type();
    cookie = header.cookie();
    offset = from;
    length = bytes;
    STATE.lazySet(this, ISSUED);
    return this;
  }

  void parts(ReadParts shared) {
    parts = shared;
  }

  void status(BlockStatus collector) {
    status = collector;
  }

  /** Returns a view of the input; creates a new one only for another input buffer. */
  @SuppressWarnings("ReferenceEquality") // Equal content in other memory is not enough.
  ByteBuffer source(ByteBuffer input, int from, int bytes) {
    if (sourceOf != input) {
      source = input.duplicate();
      sourceOf = input;
    }
    return source.limit(from + bytes).position(from);
  }

  /** Returns the reply's buffer with a limit, for content that is not sent unchanged. */
  ByteBuffer scratch(int bytes) {
    return reply.buffer().limit(bytes);
  }

  boolean completed() {
    return state == COMPLETED;
  }

  /**
   * Makes the completing thread send the reply. Returns false when the device has already
   * completed.
   */
  boolean detach() {
    return STATE.compareAndSet(this, ISSUED, DETACHED);
  }

  @Override
  public void completed(StorageException outcome) {
    failure = outcome;
    if (STATE.getAndSet(this, COMPLETED) == DETACHED) {
      transmission.completedLater(this);
    }
  }

  void lease(InputLease held) {
    lease = held;
  }

  void releaseLease() {
    if (lease != null) {
      lease.release();
      lease = null;
    }
  }

  /** Encodes the result and sends it. */
  void answer(ReplyStyle style) {
    ReadParts shared = parts;
    if (shared == null) {
      send(style, true);
    } else {
      // Parts complete on several threads, and no part may follow the one that is marked as the
      // last.
      synchronized (shared) {
        send(style, shared.countDown());
      }
    }
  }

  private void send(ReplyStyle style, boolean last) {
    ByteBuffer buffer = reply.buffer().clear();
    if (failure != null) {
      byte[] message = ErrorText.of(failure);
      style.putError(buffer, last, cookie, offset, NbdErrors.of(failure.code()), message);
    } else if (status != null) {
      status.put(buffer, style, cookie, offset);
    } else if (type == Wire.CMD_READ) {
      style.putDataHeader(buffer, last, cookie, offset, length);
      buffer.position(style.dataOffset() + length);
    } else {
      style.putDone(buffer, cookie, offset);
    }
    Reply answered = reply;
    reply = null;
    parts = null;
    status = null;
    answered.send();
  }
}
