package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.login.Parameters;
import dev.holdfast.frontend.iscsi.internal.pdu.AsyncMessage;
import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskResponse;
import dev.holdfast.frontend.iscsi.internal.scsi.Cdb;
import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import dev.holdfast.frontend.iscsi.internal.scsi.LogicalUnit;
import dev.holdfast.frontend.iscsi.internal.scsi.Plan;
import dev.holdfast.frontend.iscsi.internal.scsi.Sense;
import dev.holdfast.frontend.iscsi.internal.scsi.Volume;
import dev.holdfast.reservation.WriteGate;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The commands of a session. Those that wait for data are in the state that a parked session
 * leaves; those at the device are awaited before it is parked.
 */
final class Commands {
  private static final int GATHERED_AT_MOST = 16 << 20;
  private static final int INQUIRY = 0x12;
  private static final int REPORT_LUNS = 0xa0;
  private static final int ALLOCATION = 3;
  private static final long FLAT_ZERO = 0x4000L << 48;
  private static final int ABORT_TASK = 1;
  private static final int ABORT_TASK_SET = 2;
  private static final int CLEAR_TASK_SET = 4;
  private static final int LOGICAL_UNIT_RESET = 5;
  private static final int TARGET_WARM_RESET = 6;
  private static final int NO_TASK = 1;
  private static final int NO_LUN = 2;
  private static final int UNSUPPORTED = 5;
  private static final int REJECTED = 0xff;
  private static final int SCSI_EVENT = 0;

  private final FrontendConnection connection;
  private final String shared;
  private final Optional<String> token;
  private final Output output;
  private final Parameters parameters;
  private final BlockDevice device;
  private final ExportState state;
  private final WriteGate gate;
  private final LogicalUnit unit;
  private final Map<Integer, Task> tasks = new ConcurrentHashMap<>();
  private final AtomicInteger gathering = new AtomicInteger();
  private final AtomicInteger users = new AtomicInteger(1);
  private Runnable stopped = () -> {};

  Commands(
      FrontendConnection connection,
      Common common,
      SessionIdentity identity,
      Output output,
      Parameters parameters) {
    this.connection = connection;
    this.shared = identity.shared();
    this.token = Optional.of(identity.token());
    this.output = output;
    this.parameters = parameters;
    this.device = connection.attached().orElseThrow();
    this.state = connection.state().orElseThrow();
    String export = TargetNames.export(identity.target()).orElseThrow();
    this.gate = common.gate(export);
    this.unit =
        new LogicalUnit(
            new Volume(export, identity.target(), device, state, gate),
            identity.nexus(),
            connection);
  }

  /** Returns whether no later connection has taken the session's name. */
  boolean current() {
    return state.text(shared).equals(token);
  }

  /** Tells of a new size before a command asks: the initiator may be idle. */
  void announce() {
    unit.newSize()
        .ifPresent(
            sense -> {
              ByteBuffer data = ByteBuffer.allocate(Short.BYTES + sense.length);
              data.putShort((short) sense.length).put(sense);
              output.status(new AsyncMessage(0, 0, 0, 0, SCSI_EVENT, 0, 0, 0, 0), data.array());
            });
  }

  Map<String, String> fields() {
    Map<String, String> fields = new HashMap<>(unit.fields());
    int number = 0;
    for (Task task : tasks.values()) {
      fields.put(SessionFields.TASK + number++, task.write());
    }
    return fields;
  }

  void resume(Map<String, String> fields) throws StorageException {
    unit.resume(fields);
    for (int i = 0; fields.containsKey(SessionFields.TASK + i); i++) {
      Task task = Task.read(fields.get(SessionFields.TASK + i), this);
      tasks.put(task.tag(), task);
      if (task.ordered()) {
        output.sequence().begin();
      }
    }
  }

  void stop(Runnable whenStopped) {
    stopped = whenStopped;
    leave();
  }

  void command(ScsiCommand command, ByteBuffer data) {
    if (!output.sequence().take(command.immediate(), command.cmdSn())) {
      return;
    }
    Task task = new Task(this, command);
    if (task.ordered()) {
      output.sequence().begin();
    }
    tasks.put(task.tag(), task);
    try {
      task.plan(plan(command));
    } catch (CommandException e) {
      task.refuse(e);
    }
    task.begin(data, command.isFinal());
  }

  private Plan plan(ScsiCommand command) throws CommandException {
    Cdb cdb = new Cdb(command.cdb());
    boolean present = command.lun() == 0 || command.lun() == FLAT_ZERO;
    if (present || cdb.opcode() == REPORT_LUNS) {
      return unit.admit(cdb);
    }
    if (cdb.opcode() != INQUIRY) {
      throw CommandException.of(Sense.NO_LOGICAL_UNIT);
    }
    int allocation = command.cdb().getShort(ALLOCATION) & 0xffff;
    return Plan.absent((task, none) -> task.answer(LogicalUnit.absent(), allocation));
  }

  /** Says how a command of a resumed session goes on. */
  Plan again(Cdb cdb) throws CommandException {
    return unit.again(cdb);
  }

  /** Makes sure that a command whose data came later may still be done. */
  void requireStillAllowed(Cdb cdb) throws CommandException {
    unit.requireStillAllowed(cdb);
  }

  /** Returns whether a command changes what is on the volume. */
  boolean changes(Cdb cdb) throws CommandException {
    return unit.changes(cdb);
  }

  /** Returns what all writes to the volume pass. */
  WriteGate gate() {
    return gate;
  }

  void data(DataOut out, ByteBuffer data) {
    Task task = tasks.get(out.tag());
    // What comes for a task that is aborted is nobody's.
    if (task != null && task.takesData()) {
      task.take(out.dataSn(), out.offset(), data, out.isFinal());
    }
  }

  void manage(TaskRequest request) {
    if (!output.sequence().take(request.immediate(), request.cmdSn())) {
      return;
    }
    Reply reply = output.reply(0);
    int response = NO_TASK;
    Predicate<Task> victims = task -> true;
    switch (request.function()) {
      case ABORT_TASK -> {
        Task task = tasks.get(request.referencedTag());
        victims = victim -> victim == task;
        response = task != null ? 0 : NO_TASK;
      }
      case ABORT_TASK_SET, CLEAR_TASK_SET -> response = 0;
      case LOGICAL_UNIT_RESET, TARGET_WARM_RESET -> response = reset();
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
    abort(victims, () -> output.sequence().sendStatus(reply, 0, false));
  }

  private int reset() {
    try {
      unit.reset();
      return 0;
    } catch (CommandException e) {
      return REJECTED;
    }
  }

  /** Aborts tasks, and says so when none of them is at the device any more. */
  private void abort(Predicate<Task> victims, Runnable told) {
    List<Task> aborted = tasks.values().stream().filter(victims).toList();
    AtomicInteger remaining = new AtomicInteger(1 + aborted.size());
    Runnable one =
        () -> {
          if (remaining.decrementAndGet() == 0) {
            told.run();
          }
        };
    enter();
    aborted.forEach(task -> task.abort(one));
    one.run();
    leave();
  }

  FrontendConnection connection() {
    return connection;
  }

  Output output() {
    return output;
  }

  Parameters parameters() {
    return parameters;
  }

  BlockDevice device() {
    return device;
  }

  boolean descriptorSense() {
    return unit.descriptorSense();
  }

  /**
   * Asks for memory to gather data in.
   *
   * @throws CommandException TASK SET FULL when the session has too much of it
   */
  void reserve(int bytes) throws CommandException {
    if (gathering.addAndGet(bytes) > GATHERED_AT_MOST) {
      gathering.addAndGet(-bytes);
      throw CommandException.full();
    }
  }

  void free(int bytes) {
    gathering.addAndGet(-bytes);
  }

  void forget(Task task) {
    tasks.remove(task.tag(), task);
  }

  /** Something more is under way. */
  void enter() {
    users.incrementAndGet();
  }

  /** It has ended. */
  void leave() {
    if (users.decrementAndGet() == 0) {
      stopped.run();
    }
  }
}
