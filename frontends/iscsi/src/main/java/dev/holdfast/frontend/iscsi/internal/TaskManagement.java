package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Task management functions (RFC 7143, 11.5), which concern the tasks of all connections of the
 * session. Used by the connection's thread.
 */
final class TaskManagement {
  private static final int ABORT_TASK = 1;
  private static final int ABORT_TASK_SET = 2;
  private static final int CLEAR_TASK_SET = 4;
  private static final int LOGICAL_UNIT_RESET = 5;
  private static final int TARGET_WARM_RESET = 6;
  private static final int NO_TASK = 1;
  private static final int NO_LUN = 2;
  private static final int UNSUPPORTED = 5;
  private static final int REJECTED = 0xff;

  private final Commands own;
  private final PduOutput output;
  private final Supplier<List<Commands>> session;

  /**
   * Manages the tasks of a session.
   *
   * @param own commands of this connection, not null
   * @param session commands of all its connections, including this one; not null
   */
  TaskManagement(Commands own, PduOutput output, Supplier<List<Commands>> session) {
    this.own = own;
    this.output = output;
    this.session = session;
  }

  void manage(TaskRequest request) {
    StatusNumbers sequence = output.sequence();
    if (!sequence.take(request.immediate(), request.cmdSn())) {
      return;
    }
    // Commands that were sent before the function may still arrive on other connections.
    if (request.function() != ABORT_TASK
        && request.immediate()
        && !sequence.commands().awaitTurn(request.cmdSn())) {
      return;
    }
    own.delivery().run(() -> managed(request, sequence));
  }

  private void managed(TaskRequest request, StatusNumbers sequence) {
    Reply reply = output.reply(0);
    int response = NO_TASK;
    Predicate<Task> victims = task -> true;
    switch (request.function()) {
      case ABORT_TASK -> {
        Optional<Task> task = task(request.referencedTag());
        victims = victim -> task.filter(one -> one.equals(victim)).isPresent();
        response = task.isPresent() ? 0 : NO_TASK;
      }
      case ABORT_TASK_SET, CLEAR_TASK_SET -> response = 0;
      case LOGICAL_UNIT_RESET, TARGET_WARM_RESET -> response = own.reset() ? 0 : REJECTED;
      default -> {
        victims = task -> false;
        response = UNSUPPORTED;
      }
    }
    if (request.function() < TARGET_WARM_RESET && request.lun() != 0) {
      victims = task -> false;
      response = NO_LUN;
    }
    new TaskResponse(response, request.tag(), 0, 0, 0).write(reply.buffer());
    abort(session.get(), victims, () -> sequence.sendStatus(reply, 0, false));
  }

  private Optional<Task> task(int tag) {
    return session.get().stream().flatMap(commands -> commands.task(tag).stream()).findFirst();
  }

  /** Aborts tasks of connections, and responds after the last of them has left the device. */
  void abort(List<Commands> connections, Predicate<Task> victims, Runnable told) {
    AtomicInteger remaining = new AtomicInteger(1);
    Runnable one =
        () -> {
          if (remaining.decrementAndGet() == 0) {
            told.run();
            own.leave();
          }
        };
    own.enter();
    connections.forEach(commands -> commands.abort(victims, remaining::incrementAndGet, one));
    one.run();
  }
}
