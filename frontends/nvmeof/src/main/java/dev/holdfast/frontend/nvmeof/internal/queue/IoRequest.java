package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeErrors;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A reusable command at the device.
 *
 * <pre>
 *   ISSUED --completed, same call--> COMPLETED: the connection's thread answers
 *   ISSUED --detach--> DETACHED --completed, later--> the completing thread answers
 * </pre>
 */
final class IoRequest implements Completion {
  /** Content of the response. */
  enum Kind {
    /** A response only. */
    PLAIN,
    /** Data and a response. */
    READ,
    /** A response after comparing the data read. */
    COMPARE
  }

  private static final int ISSUED = 0;
  private static final int COMPLETED = 1;
  private static final int DETACHED = 2;
  private static final AtomicIntegerFieldUpdater<IoRequest> STATE =
      AtomicIntegerFieldUpdater.newUpdater(IoRequest.class, "state");

  private final IoQueue queue;
  private volatile int state;
  private StorageException failure;
  private Reply reply;
  private InputLease lease;
  private Command command;
  private Kind kind;
  private int length;
  private ByteBuffer expected;
  private boolean gated;
  private int refusal;

  IoRequest(IoQueue queue) {
    this.queue = queue;
  }

  /** Prepares the object for another command. */
  IoRequest begin(Reply taken, Command asked, Kind what, int bytes) {
    failure = null;
    reply = taken;
    command = asked;
    kind = what;
    length = bytes;
    gated = false;
    refusal = Status.SUCCESS;
    STATE.lazySet(this, ISSUED);
    return this;
  }

  Command command() {
    return command;
  }

  /** Marks the request as inside the gate. */
  IoRequest gated() {
    gated = true;
    return this;
  }

  boolean leavesGate() {
    return gated;
  }

  void expect(ByteBuffer content) {
    expected = content;
  }

  /** Returns the place of the data in the reply. */
  ByteBuffer target(int at) {
    return reply.buffer().clear().limit(at + length).position(at);
  }

  boolean completed() {
    return state == COMPLETED;
  }

  /** Completes the request with a status before it reaches the device. */
  void refuse(int status) {
    refusal = status;
    completed(null);
  }

  /** Makes the completing thread respond. Returns false when the device has already completed. */
  boolean detach() {
    return STATE.compareAndSet(this, ISSUED, DETACHED);
  }

  @Override
  public void completed(StorageException outcome) {
    failure = outcome;
    if (STATE.getAndSet(this, COMPLETED) == DETACHED) {
      queue.completedLater(this);
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

  /** Returns the command's status. */
  int status(int dataAt) {
    if (refusal != Status.SUCCESS) {
      return refusal;
    }
    if (failure != null) {
      return NvmeErrors.error(failure.code());
    }
    if (kind == Kind.COMPARE && target(dataAt).mismatch(expected) >= 0) {
      return Status.COMPARE_FAILURE;
    }
    return Status.SUCCESS;
  }

  boolean sendsData() {
    return kind == Kind.READ && failure == null;
  }

  int length() {
    return length;
  }

  /** Returns the reply for sending and forgets it. */
  Reply takeReply() {
    Reply taken = reply;
    reply = null;
    expected = null;
    return taken;
  }
}
