package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.reservation.Reservations;
import java.util.Map;
import java.util.Optional;

/** A volume as one session's logical unit: checks and executes its commands. */
public final class LogicalUnit {
  private static final int RESET = 0x2900;

  private final Volume volume;
  private final String nexus;
  private final ConnectionExport attachment;
  private final Transfers transfers;
  private final Provisioning provisioning;
  private final ModePages modes;
  private final PersistentReserve persistent;
  private final UnitAttentions attentions;

  /**
   * Creates the logical unit of a new session.
   *
   * @param volume not null
   * @param nexus the initiator's port in the notation of reservations, not null
   * @param attachment connection's export, for texts that end with the connection, not null
   * @param joint whether the session has several connections
   */
  public LogicalUnit(Volume volume, String nexus, ConnectionExport attachment, boolean joint) {
    this.volume = volume;
    this.nexus = nexus;
    this.attachment = attachment;
    this.transfers = new Transfers(volume);
    this.provisioning = new Provisioning(volume);
    this.modes = new ModePages(volume, nexus);
    this.persistent = new PersistentReserve(volume, nexus);
    this.attentions = new UnitAttentions(volume, nexus, persistent::current, joint);
  }

  /**
   * Begins a session of several connections; joining connections share its pending conditions.
   *
   * @throws CommandException when that cannot be recorded
   */
  public void begin() throws CommandException {
    attentions.begin();
  }

  /** Resumes the state of the session's last logical unit. */
  public void resume(Map<String, String> fields) {
    attentions.resume(fields);
  }

  /** State for {@link #resume}, never null. */
  public Map<String, String> fields() {
    return attentions.fields();
  }

  /** Returns whether sense data has the descriptor format. */
  public boolean descriptorSense() {
    return modes.current().descriptorSense();
  }

  /**
   * Returns sense data of a new size that was not announced yet, empty without a new size.
   *
   * @throws CommandException when the announcement cannot be recorded
   */
  public Optional<byte[]> newSize() throws CommandException {
    return attentions.newSize().map(sense -> sense.encode(descriptorSense()));
  }

  /** Returns the logical unit of an absent volume. */
  public static byte[] absent() {
    return Inquiry.standard(false);
  }

  /**
   * Checks whether a command is permitted and returns how it is executed.
   *
   * @param cdb not null
   * @throws CommandException when it is refused
   */
  public Plan admit(Cdb cdb) throws CommandException {
    Command command = command(cdb);
    if (!command.answersDespiteAttention()) {
      Optional<Sense> attention = attentions.next();
      if (attention.isPresent()) {
        throw CommandException.of(attention.get());
      }
    }
    requireAccess(command);
    return plan(command, cdb);
  }

  /**
   * Returns the plan of a command that was admitted before its session was parked.
   *
   * @throws CommandException when that has become impossible
   */
  public Plan again(Cdb cdb) throws CommandException {
    return plan(command(cdb), cdb);
  }

  /**
   * Checks that a command whose data arrived later is still permitted, because other initiators may
   * have fenced this session.
   *
   * @throws CommandException when it is not permitted
   */
  public void requireStillAllowed(Cdb cdb) throws CommandException {
    requireAccess(command(cdb));
  }

  /**
   * Returns whether a command changes the medium or state that others see.
   *
   * @throws CommandException when the command is unknown
   */
  public boolean changes(Cdb cdb) throws CommandException {
    return command(cdb).access() == ReservationAccess.WRITE;
  }

  private static Command command(Cdb cdb) throws CommandException {
    boolean known = Command.known(cdb.opcode());
    return Command.of(cdb)
        .orElseThrow(() -> CommandException.of(known ? Sense.INVALID_FIELD : Sense.INVALID_OPCODE));
  }

  /** Clears the state that a reset clears, and notifies the other sessions. */
  public void reset() throws CommandException {
    SharedTexts.change(volume.state(), SharedTexts.RESERVED, holder -> "");
    SharedTexts.change(volume.state(), SharedTexts.MODE, mode -> "");
    SharedTexts.tell(volume.state(), RESET, SharedTexts.NOBODY);
  }

  private void requireAccess(Command command) throws CommandException {
    Reservations now = persistent.current();
    boolean allowed =
        switch (command.access()) {
          case ALWAYS, OWN_RULES, UNRESERVED -> true;
          case READ -> now.mayRead(nexus);
          case WRITE -> now.mayWrite(nexus);
        };
    String holder = volume.state().text(SharedTexts.RESERVED).orElse("");
    boolean free =
        holder.isEmpty()
            || holder.equals(nexus)
            || command.access() == ReservationAccess.ALWAYS
            || command == Command.RELEASE_6
            || command == Command.RELEASE_10;
    if (!allowed || !free) {
      throw CommandException.conflict();
    }
    boolean changes = command.access() == ReservationAccess.WRITE;
    boolean selects = command == Command.MODE_SELECT_6 || command == Command.MODE_SELECT_10;
    if (changes && !selects && modes.current().writeProtected()) {
      throw CommandException.of(Sense.WRITE_PROTECTED);
    }
  }

  private Plan plan(Command command, Cdb cdb) throws CommandException {
    return switch (command) {
      case TEST_UNIT_READY, START_STOP_UNIT, PREVENT_ALLOW -> Plan.now((task, none) -> {});
      case REQUEST_SENSE -> requestSense(cdb);
      case INQUIRY -> Inquiry.plan(cdb, volume);
      case READ_6, READ_10, READ_12, READ_16 -> transfers.read(cdb);
      case WRITE_6, WRITE_10, WRITE_12, WRITE_16 -> transfers.write(cdb);
      case WRITE_AND_VERIFY_10, WRITE_AND_VERIFY_12, WRITE_AND_VERIFY_16 ->
          transfers.writeAndVerify(cdb);
      case VERIFY_10, VERIFY_12, VERIFY_16 -> transfers.verify(cdb);
      case COMPARE_AND_WRITE -> transfers.compareAndWrite(cdb);
      case PRE_FETCH_10, PRE_FETCH_16 -> transfers.preFetch(cdb);
      case SYNCHRONIZE_CACHE_10, SYNCHRONIZE_CACHE_16 -> transfers.synchronizeCache(cdb);
      case UNMAP -> provisioning.unmap(cdb);
      case WRITE_SAME_10, WRITE_SAME_16 -> provisioning.writeSame(cdb);
      case GET_LBA_STATUS -> provisioning.lbaStatus(cdb);
      case MODE_SENSE_6, MODE_SENSE_10 -> modes.sense(cdb);
      case MODE_SELECT_6, MODE_SELECT_10 -> modes.select(cdb);
      case RESERVE_6, RESERVE_10 -> reserve();
      case RELEASE_6, RELEASE_10 -> release();
      case READ_KEYS, READ_RESERVATION, REPORT_CAPABILITIES, READ_FULL_STATUS ->
          persistent.in(command, cdb);
      case REGISTER,
          RESERVE,
          RELEASE,
          CLEAR,
          PREEMPT,
          PREEMPT_AND_ABORT,
          REGISTER_AND_IGNORE,
          REGISTER_AND_MOVE ->
          persistent.out(command, cdb);
      case READ_CAPACITY_10, READ_CAPACITY_16 -> ReportCommands.capacity(cdb, volume);
      case REPORT_LUNS -> ReportCommands.luns(cdb);
      case REPORT_TARGET_PORT_GROUPS -> ReportCommands.portGroups(cdb);
      case REPORT_OPCODES -> ReportCommands.opcodes(cdb);
      case REPORT_TASK_FUNCTIONS -> ReportCommands.taskFunctions(cdb);
    };
  }

  private Plan requestSense(Cdb cdb) throws CommandException {
    byte[] sense = attentions.next().orElse(Sense.NONE).encode(cdb.bit(1, 0x01));
    return Plan.now((task, none) -> task.answer(sense, cdb.u8(4)));
  }

  private Plan reserve() throws CommandException {
    if (!persistent.current().registrations().isEmpty()) {
      throw CommandException.conflict();
    }
    return Plan.now(
        (task, none) -> {
          Optional<String> holder = volume.state().text(SharedTexts.RESERVED);
          boolean mine = holder.orElse("").equals(nexus);
          boolean free = holder.orElse("").isEmpty();
          if (!mine && !(free && attachment.share(SharedTexts.RESERVED, holder, nexus))) {
            throw CommandException.conflict();
          }
        });
  }

  private Plan release() throws CommandException {
    if (!persistent.current().registrations().isEmpty()) {
      throw CommandException.conflict();
    }
    return Plan.now(
        (task, none) ->
            SharedTexts.change(
                volume.state(),
                SharedTexts.RESERVED,
                holder -> holder.equals(nexus) ? "" : holder));
  }
}
