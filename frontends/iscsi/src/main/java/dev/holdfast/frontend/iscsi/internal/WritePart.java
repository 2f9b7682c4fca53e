package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.InputLease;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Data of one PDU at the device, in the memory in which it was received.
 *
 * <pre>
 *   ISSUED --completed, same call--> COMPLETED
 *   ISSUED --detach--> DETACHED --completed, later--> the memory is given back
 * </pre>
 */
final class WritePart implements Completion {
  private static final int ISSUED = 0;
  private static final int COMPLETED = 1;
  private static final int DETACHED = 2;

  private final Task task;
  private final Completion part;
  private final AtomicInteger state = new AtomicInteger(ISSUED);
  private Optional<InputLease> lease = Optional.empty();

  WritePart(Task task) {
    this.task = task;
    this.part = task.part();
  }

  /** Writes while the data is in the input. Called by the connection's thread. */
  void write(long offset, ByteBuffer data, int flags) {
    task.gate().enter();
    if (!task.stillAllowed()) {
      completed(null);
      return;
    }
    task.device().write(offset, data, flags, this);
    if (state.get() == ISSUED) {
      InputLease held = task.connection().retainInput();
      lease = Optional.of(held);
      if (!state.compareAndSet(ISSUED, DETACHED)) {
        held.release();
      }
    }
  }

  @Override
  public void completed(StorageException failure) {
    if (state.getAndSet(COMPLETED) == DETACHED) {
      lease.ifPresent(InputLease::release);
    }
    task.gate().leave();
    part.completed(failure);
  }
}
