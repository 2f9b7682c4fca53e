package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.iscsi.internal.pdu.ReadyToTransfer;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.scsi.Cdb;
import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import dev.holdfast.frontend.iscsi.internal.scsi.Plan;
import dev.holdfast.frontend.iscsi.internal.scsi.ScsiTask;
import dev.holdfast.frontend.iscsi.internal.scsi.Sense;
import dev.holdfast.reservation.WriteGate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One SCSI command.
 *
 * <pre>
 *   TAKING: data comes, what is written goes to the device at once --all there-->
 *   RUNNING: done on the connection's thread; ends with the last completion --> answered
 * </pre>
 */
final class Task implements ScsiTask {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Commands commands;
  private final ScsiCommand command;
  private final AtomicInteger open = new AtomicInteger(1);
  private final AtomicReference<StorageException> failure = new AtomicReference<>();
  private Plan plan;
  private Optional<CommandException> refusal = Optional.empty();
  private ByteBuffer gathered = NOTHING;
  private boolean running;
  private int received;
  private int wanted;
  private int r2tSn;
  private int dataSn;
  private boolean answered;
  private long size;
  private Optional<ReadTransfer> reading = Optional.empty();
  private Optional<Reply> reply = Optional.empty();
  private boolean gated;
  private boolean aborted;
  private boolean finished;
  private final List<Runnable> whenEnded = new ArrayList<>();

  Task(Commands commands, ScsiCommand command) {
    this.commands = commands;
    this.command = command;
  }

  int tag() {
    return command.tag();
  }

  boolean ordered() {
    return !command.immediate();
  }

  /** Sets how the command is executed. */
  void plan(Plan made) throws CommandException {
    plan = made;
    size = made.length();
    long expected = expected();
    if (made.exact() && expected != made.length()) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    if (expected < made.length()) {
      // Otherwise only a part of the data would be written, and the command would report more than
      // it did.
      throw CommandException.of(Sense.EXPECTED_TOO_SHORT);
    }
    wanted = made.length();
    if (made.kind() == Plan.Kind.GATHERED) {
      commands.gathering().reserve(wanted);
      gathered = ByteBuffer.allocateDirect(wanted);
    }
  }

  /** Returns how many bytes the initiator announced. */
  private long expected() {
    return command.write() ? command.expected() : 0;
  }

  /** Rejects the command; the initiator may still send data for it. */
  void refuse(CommandException why) {
    refusal = Optional.of(why);
    wanted = 0;
  }

  boolean takesData() {
    return !running;
  }

  /** Takes data; the end of a burst determines the next step. */
  void take(int number, long offset, ByteBuffer data, boolean last) {
    if (number != dataSn++ || (data.hasRemaining() && offset != received)) {
      refuse(refusal.orElse(CommandException.of(Sense.DATA_PHASE)));
    }
    int length = Math.min(data.remaining(), wanted - received);
    if (length > 0) {
      ByteBuffer useful = data.slice(0, length);
      if (plan.kind() == Plan.Kind.WRITTEN) {
        new WritePart(this).write(plan.offset() + received, useful, plan.flags());
      } else {
        gathered.put(received, useful, 0, length);
      }
    }
    received += data.remaining();
    // An initiator that has sent all announced data sends no more, even if it then announces more.
    if (last || received >= expected()) {
      next();
    }
  }

  /** Refuses the command if another initiator has fenced this session since the command arrived. */
  boolean stillAllowed() {
    if (refusal.isEmpty()) {
      try {
        commands.requireStillAllowed(new Cdb(command.cdb()));
      } catch (CommandException e) {
        refuse(e);
      }
    }
    return refusal.isEmpty();
  }

  /** Takes the data that arrives with the command itself. */
  void begin(ByteBuffer data, boolean last) {
    take(0, 0, data, last);
    dataSn = 0;
  }

  /** Requests more data, or executes the command. */
  private void next() {
    dataSn = 0;
    if (received < wanted) {
      int length = Math.min(commands.parameters().maxBurst(), wanted - received);
      commands
          .output()
          .other(
              new ReadyToTransfer(command.lun(), tag(), tag(), 0, 0, 0, r2tSn++, received, length));
    } else {
      run();
    }
  }

  private void run() {
    running = true;
    commands.enter();
    if (refusal.isEmpty()) {
      try {
        pass();
        plan.action().run(this, gathered);
      } catch (CommandException e) {
        refusal = Optional.of(e);
      }
    }
    if (!answered && reading.isEmpty()) {
      reply = Optional.of(commands.output().reply(0));
    }
    ended(null);
  }

  /** For data written on arrival, all parts were already issued. */
  private void pass() throws CommandException {
    Cdb cdb = new Cdb(command.cdb());
    if (plan.kind() != Plan.Kind.WRITTEN && commands.changes(cdb)) {
      gate().enter();
      gated = true;
      commands.requireStillAllowed(cdb);
    }
  }

  @Override
  public void answer(byte[] data, long allocation) {
    answered = true;
    size = Math.min(data.length, allocation);
    answers().data(data);
  }

  @Override
  public void read(long offset, long length) {
    size = length;
    int most = command.read() ? (int) Math.min(length, command.expected()) : 0;
    if (most > 0) {
      ReadTransfer transfer = new ReadTransfer(this, commands, most);
      reading = Optional.of(transfer);
      transfer.begin(offset);
    }
  }

  @Override
  public Completion part() {
    open.incrementAndGet();
    commands.enter();
    return this::ended;
  }

  /**
   * Records the end of one part, or of the connection thread's own work; the last one sends the
   * response.
   */
  void ended(StorageException outcome) {
    if (outcome != null) {
      failure.compareAndSet(null, outcome);
    }
    if (open.decrementAndGet() == 0) {
      finish();
    }
    commands.leave();
  }

  private void finish() {
    commands.forget(this);
    commands.gathering().free(gathered.capacity());
    if (gated) {
      gate().leave();
    }
    boolean silent;
    synchronized (this) {
      finished = true;
      silent = aborted;
    }
    if (silent) {
      reading.ifPresent(ReadTransfer::discard);
      reply.ifPresent(Reply::discard);
      if (ordered()) {
        commands.output().sequence().commands().end();
      }
      whenEnded.forEach(Runnable::run);
    } else if (reading.isPresent()) {
      reading.get().finish(answers(), outcome());
    } else {
      reply.ifPresent(through -> answers().status(through, outcome(), received));
    }
  }

  /** Returns why the command fails, or empty when it succeeds. */
  private Optional<CommandException> outcome() {
    StorageException failed = failure.get();
    return failed == null
        ? refusal
        : Optional.of(CommandException.of(Sense.of(failed.code(), command.write())));
  }

  /** Ends the command without a response; the argument runs once at the end. */
  void abort(Runnable then) {
    synchronized (this) {
      if (finished) {
        // Its response was already sent.
        then.run();
        return;
      }
      aborted = true;
      whenEnded.add(then);
    }
    if (!running) {
      running = true;
      commands.enter();
      ended(null);
    }
  }

  synchronized boolean isAborted() {
    return aborted;
  }

  /** Returns the responses to this command, whose transfer size is known now. */
  ScsiResponses answers() {
    return new ScsiResponses(command, commands, size);
  }

  FrontendConnection connection() {
    return commands.connection();
  }

  WriteGate gate() {
    return commands.gate();
  }

  BlockDevice device() {
    return commands.device();
  }

  /** Writes the state that another bundle needs to take further data. */
  String write() {
    return TaskText.write(new TaskText(command, outcome(), received, r2tSn, dataSn, gathered));
  }

  static Task read(String text, Commands commands) throws StorageException {
    TaskText parsed = TaskText.read(text);
    Task task = new Task(commands, parsed.command());
    try {
      Optional<CommandException> refusal = parsed.refusal();
      if (refusal.isPresent() && !refusal.get().isFor(Sense.EXPECTED_TOO_SHORT)) {
        throw refusal.get();
      }
      task.plan(commands.again(new Cdb(parsed.command().cdb())));
      task.gathered.put(0, parsed.gathered(), 0, parsed.gathered().remaining());
    } catch (CommandException e) {
      task.refuse(e);
    } catch (IndexOutOfBoundsException e) {
      throw new StorageException(ErrorCode.INVALID, "a task of the session has too much data", e);
    }
    task.received = parsed.received();
    task.r2tSn = parsed.r2tSn();
    task.dataSn = parsed.dataSn();
    return task;
  }
}
