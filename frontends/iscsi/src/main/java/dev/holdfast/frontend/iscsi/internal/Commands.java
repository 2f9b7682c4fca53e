package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.iscsi.internal.login.Parameters;
import dev.holdfast.frontend.iscsi.internal.pdu.AsyncMessage;
import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commands of a session. Commands that wait for data are part of the state that a parked
 * session leaves; commands at the device end before it is parked.
 */
final class Commands {
  private static final Logger log = LoggerFactory.getLogger(Commands.class);
  private static final int INQUIRY = 0x12;
  private static final int REPORT_LUNS = 0xa0;
  private static final int ALLOCATION = 3;
  private static final long FLAT_ZERO = 0x4000L << 48;
  private static final int SCSI_EVENT = 0;

  private final FrontendConnection connection;
  private final IscsiContext common;
  private final SessionIdentity identity;
  private final String shared;
  private final Optional<String> token;
  private final Optional<MultiConnectionSession> joint;
  private final TaskManagement management;
  private final PduOutput output;
  private final Parameters parameters;
  private final BlockDevice device;
  private final ExportState state;
  private final WriteGate gate;
  private final LogicalUnit unit;
  private final Map<Integer, Task> tasks = new ConcurrentHashMap<>();
  private final DataOutQuota gathering = new DataOutQuota();
  private final AtomicInteger users = new AtomicInteger(1);
  // Held while a PDU changes tasks, because other connections of the session may abort them.
  private final DeferredIoLock turn = new DeferredIoLock();
  private final DeferredIoLock delivery;
  private Runnable stopped = () -> {};

  Commands(
      FrontendConnection connection,
      IscsiContext common,
      SessionIdentity identity,
      Optional<MultiConnectionSession> joint,
      PduOutput output,
      Parameters parameters) {
    this.connection = connection;
    this.common = common;
    this.identity = identity;
    this.joint = joint;
    this.delivery =
        joint.map(session -> session.companions().delivery()).orElseGet(DeferredIoLock::new);
    this.shared = identity.shared();
    this.token = Optional.of(identity.token());
    this.output = output;
    this.parameters = parameters;
    this.device = connection.export().attached().orElseThrow();
    this.state = connection.export().state().orElseThrow();
    String export = TargetNames.export(identity.target()).orElseThrow();
    this.gate = common.gate(export);
    this.unit =
        new LogicalUnit(
            new Volume(export, identity.target(), device, state, gate),
            identity.nexus(),
            connection.export(),
            joint.isPresent());
    this.management =
        new TaskManagement(
            this,
            output,
            () -> joint.map(session -> session.companions().all()).orElse(List.of(this)));
    joint.ifPresent(session -> session.companions().add(identity.cid(), this));
  }

  /** Begins a session of several connections. */
  void begin() throws CommandException {
    unit.begin();
  }

  /**
   * Returns whether no later connection has taken the session's name, or this connection's place in
   * it.
   */
  boolean current() {
    return joint
        .map(MultiConnectionSession::current)
        .orElseGet(() -> state.text(shared).equals(token));
  }

  /** Returns whether the session must end. */
  boolean lost() {
    return joint.filter(MultiConnectionSession::lost).isPresent();
  }

  /** Reports a new size without waiting for a command, because the initiator may be idle. */
  void announce() {
    try {
      unit.newSize().ifPresent(this::announce);
    } catch (CommandException e) {
      log.debug("{}: could not announce a new size", connection.peer(), e);
    }
  }

  private void announce(byte[] sense) {
    ByteBuffer data = ByteBuffer.allocate(Short.BYTES + sense.length);
    data.putShort((short) sense.length).put(sense);
    output.status(new AsyncMessage(0, 0, 0, 0, SCSI_EVENT, 0, 0, 0, 0), data.array());
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
        output.sequence().commands().resumed();
      }
    }
  }

  void stop(Runnable whenStopped) {
    joint
        .flatMap(session -> identity.joint())
        .ifPresent(terms -> common.left(terms, identity.cid(), this));
    stopped = whenStopped;
    leave();
  }

  void command(ScsiCommand command, ByteBuffer data) {
    CommandNumbers numbers = output.sequence().commands();
    if (command.immediate() || numbers.awaitTurn(command.cmdSn())) {
      Task task = new Task(this, command);
      delivery.run(() -> deliver(task, command, data));
      if (command.simple()) {
        // The session's next command need not wait until this one is at the device.
        turn.run(() -> begin(task, command, data));
      }
    }
  }

  private void deliver(Task task, ScsiCommand command, ByteBuffer data) {
    if (command.immediate() || output.sequence().commands().take(command.cmdSn(), true)) {
      turn.run(() -> admit(task, command));
      if (!command.simple()) {
        turn.run(() -> begin(task, command, data));
      }
    }
  }

  private void begin(Task task, ScsiCommand command, ByteBuffer data) {
    if (task.equals(tasks.get(task.tag())) && task.takesData()) {
      task.begin(data, command.isFinal());
    }
  }

  private void admit(Task task, ScsiCommand command) {
    tasks.put(task.tag(), task);
    try {
      task.plan(plan(command));
    } catch (CommandException e) {
      task.refuse(e);
    }
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

  /** Returns the plan of a command of a resumed session. */
  Plan again(Cdb cdb) throws CommandException {
    return unit.again(cdb);
  }

  /** Checks that a command whose data arrived later is still permitted. */
  void requireStillAllowed(Cdb cdb) throws CommandException {
    unit.requireStillAllowed(cdb);
  }

  /** Returns whether a command changes the volume's content. */
  boolean changes(Cdb cdb) throws CommandException {
    return unit.changes(cdb);
  }

  /** Returns the gate that all writes to the volume pass. */
  WriteGate gate() {
    return gate;
  }

  void data(DataOut out, ByteBuffer data) {
    turn.run(
        () -> {
          Task task = tasks.get(out.tag());
          // Data for an aborted task is discarded.
          if (task != null && task.takesData()) {
            task.take(out.dataSn(), out.offset(), data, out.isFinal());
          }
        });
  }

  /** Clears the state that a reset clears. Returns whether that was possible. */
  boolean reset() {
    try {
      unit.reset();
      return true;
    } catch (CommandException e) {
      return false;
    }
  }

  Optional<Task> task(int tag) {
    return Optional.ofNullable(tasks.get(tag));
  }

  /**
   * Aborts tasks. Any connection's thread may call this.
   *
   * @param counted runs for each task before it is aborted
   * @param ended runs for each task when it has left the device
   */
  void abort(Predicate<Task> victims, Runnable counted, Runnable ended) {
    turn.run(
        () ->
            tasks.values().stream()
                .filter(victims)
                .toList()
                .forEach(
                    task -> {
                      counted.run();
                      task.abort(ended);
                    }));
  }

  TaskManagement management() {
    return management;
  }

  /** Returns the lock that is held while a command of the session is delivered. */
  DeferredIoLock delivery() {
    return delivery;
  }

  Optional<MultiConnectionSession> joint() {
    return joint;
  }

  /** Returns whether the session still has the connection. */
  boolean reachable() {
    try {
      return !connection.peer().isEmpty();
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** Closes the connection. Any thread may call this. */
  void disconnect() {
    connection.disconnect();
  }

  FrontendConnection connection() {
    return connection;
  }

  PduOutput output() {
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

  /** Returns the quota of memory for gathered data. */
  DataOutQuota gathering() {
    return gathering;
  }

  void forget(Task task) {
    tasks.remove(task.tag(), task);
  }

  /** Counts one more operation in flight. */
  void enter() {
    users.incrementAndGet();
  }

  /** Counts the end of an operation. */
  void leave() {
    if (users.decrementAndGet() == 0) {
      stopped.run();
    }
  }
}
