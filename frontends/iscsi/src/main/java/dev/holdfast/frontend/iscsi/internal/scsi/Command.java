package dev.holdfast.frontend.iscsi.internal.scsi;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** The supported SCSI commands, with the CDB bits that each one uses. */
enum Command {
  TEST_UNIT_READY(ReservationAccess.UNRESERVED, "000000000000"),
  REQUEST_SENSE(ReservationAccess.ALWAYS, "03010000ff00"),
  READ_6(ReservationAccess.READ, "081fffffff00"),
  WRITE_6(ReservationAccess.WRITE, "0a1fffffff00"),
  INQUIRY(ReservationAccess.ALWAYS, "1201ffffff00"),
  MODE_SELECT_6(ReservationAccess.WRITE, "15110000ff00"),
  RESERVE_6(ReservationAccess.OWN_RULES, "160000000000"),
  RELEASE_6(ReservationAccess.OWN_RULES, "170000000000"),
  MODE_SENSE_6(ReservationAccess.READ, "1a08ffffff00"),
  START_STOP_UNIT(ReservationAccess.UNRESERVED, "1b01000ff700"),
  PREVENT_ALLOW(ReservationAccess.UNRESERVED, "1e0000000300"),
  READ_CAPACITY_10(ReservationAccess.UNRESERVED, "25000000000000000000"),
  READ_10(ReservationAccess.READ, "2818ffffffff00ffff00"),
  WRITE_10(ReservationAccess.WRITE, "2a18ffffffff00ffff00"),
  WRITE_AND_VERIFY_10(ReservationAccess.WRITE, "2e16ffffffff00ffff00"),
  VERIFY_10(ReservationAccess.READ, "2f16ffffffff00ffff00"),
  PRE_FETCH_10(ReservationAccess.READ, "3402ffffffff00ffff00"),
  SYNCHRONIZE_CACHE_10(ReservationAccess.WRITE, "3502ffffffff00ffff00"),
  WRITE_SAME_10(ReservationAccess.WRITE, "4118ffffffff00ffff00"),
  UNMAP(ReservationAccess.WRITE, "42000000000000ffff00"),
  MODE_SELECT_10(ReservationAccess.WRITE, "55110000000000ffff00"),
  RESERVE_10(ReservationAccess.OWN_RULES, "56000000000000000000"),
  RELEASE_10(ReservationAccess.OWN_RULES, "57000000000000000000"),
  MODE_SENSE_10(ReservationAccess.READ, "5a18ffff000000ffff00"),
  READ_KEYS(ReservationAccess.OWN_RULES, "5e000000000000ffff00", 0x00),
  READ_RESERVATION(ReservationAccess.OWN_RULES, "5e010000000000ffff00", 0x01),
  REPORT_CAPABILITIES(ReservationAccess.OWN_RULES, "5e020000000000ffff00", 0x02),
  READ_FULL_STATUS(ReservationAccess.OWN_RULES, "5e030000000000ffff00", 0x03),
  REGISTER(ReservationAccess.OWN_RULES, "5f00ff0000ffffffff00", 0x00),
  RESERVE(ReservationAccess.OWN_RULES, "5f01ff0000ffffffff00", 0x01),
  RELEASE(ReservationAccess.OWN_RULES, "5f02ff0000ffffffff00", 0x02),
  CLEAR(ReservationAccess.OWN_RULES, "5f03ff0000ffffffff00", 0x03),
  PREEMPT(ReservationAccess.OWN_RULES, "5f04ff0000ffffffff00", 0x04),
  PREEMPT_AND_ABORT(ReservationAccess.OWN_RULES, "5f05ff0000ffffffff00", 0x05),
  REGISTER_AND_IGNORE(ReservationAccess.OWN_RULES, "5f06ff0000ffffffff00", 0x06),
  REGISTER_AND_MOVE(ReservationAccess.OWN_RULES, "5f07ff0000ffffffff00", 0x07),
  READ_16(ReservationAccess.READ, "8818ffffffffffffffffffffffff0000"),
  COMPARE_AND_WRITE(ReservationAccess.WRITE, "8918ffffffffffffffff000000ff0000"),
  WRITE_16(ReservationAccess.WRITE, "8a18ffffffffffffffffffffffff0000"),
  WRITE_AND_VERIFY_16(ReservationAccess.WRITE, "8e16ffffffffffffffffffffffff0000"),
  VERIFY_16(ReservationAccess.READ, "8f16ffffffffffffffffffffffff0000"),
  PRE_FETCH_16(ReservationAccess.READ, "9002ffffffffffffffffffffffff0000"),
  SYNCHRONIZE_CACHE_16(ReservationAccess.WRITE, "9102ffffffffffffffffffffffff0000"),
  WRITE_SAME_16(ReservationAccess.WRITE, "9319ffffffffffffffffffffffff0000"),
  READ_CAPACITY_16(ReservationAccess.UNRESERVED, "9e100000000000000000ffffffff0000", 0x10),
  GET_LBA_STATUS(ReservationAccess.READ, "9e12ffffffffffffffffffffffff0000", 0x12),
  REPORT_LUNS(ReservationAccess.ALWAYS, "a000ff000000ffffffff0000"),
  REPORT_TARGET_PORT_GROUPS(ReservationAccess.ALWAYS, "a3ea00000000ffffffff0000", 0x0a),
  REPORT_OPCODES(ReservationAccess.UNRESERVED, "a30c87ffffffffffffff0000", 0x0c),
  REPORT_TASK_FUNCTIONS(ReservationAccess.UNRESERVED, "a30d80000000ffffffff0000", 0x0d),
  READ_12(ReservationAccess.READ, "a818ffffffffffffffff0000"),
  WRITE_12(ReservationAccess.WRITE, "aa18ffffffffffffffff0000"),
  WRITE_AND_VERIFY_12(ReservationAccess.WRITE, "ae16ffffffffffffffff0000"),
  VERIFY_12(ReservationAccess.READ, "af16ffffffffffffffff0000");

  private static final int NO_ACTION = -1;

  /** Indexed by operation code, because every command is looked up here. */
  private static final Command[][] BY_OPCODE = new Command[256][0];

  static {
    for (Command command : values()) {
      Command[] alike = BY_OPCODE[command.opcode];
      Command[] more = Arrays.copyOf(alike, alike.length + 1);
      more[alike.length] = command;
      BY_OPCODE[command.opcode] = more;
    }
  }

  private final ReservationAccess access;
  private final String usage;
  private final int opcode;
  private final int action;

  Command(ReservationAccess access, String usage) {
    this(access, usage, NO_ACTION);
  }

  Command(ReservationAccess access, String usage, int action) {
    this.access = access;
    this.usage = usage;
    this.opcode = HexFormat.fromHexDigits(usage, 0, 2);
    this.action = action;
  }

  /** Returns whether a command with this opcode exists, for any service action. */
  static boolean known(int opcode) {
    return BY_OPCODE[opcode].length > 0;
  }

  /** Finds the command of a descriptor block. */
  static Optional<Command> of(Cdb cdb) {
    return of(cdb.opcode(), cdb.serviceAction());
  }

  static Optional<Command> of(int opcode, int action) {
    for (Command command : BY_OPCODE[opcode]) {
      if (!command.hasAction() || command.action == action) {
        return Optional.of(command);
      }
    }
    return Optional.empty();
  }

  ReservationAccess access() {
    return access;
  }

  int opcode() {
    return opcode;
  }

  boolean hasAction() {
    return action != NO_ACTION;
  }

  int action() {
    return Math.max(action, 0);
  }

  /** Returns the number of bytes of the descriptor block. */
  int length() {
    return usage.length() / 2;
  }

  /** Returns a block in which the used bits are set. */
  byte[] usage() {
    return HexFormat.of().parseHex(usage);
  }

  /** Returns whether the command runs although a unit attention is pending. */
  boolean answersDespiteAttention() {
    return this == INQUIRY || this == REPORT_LUNS || this == REQUEST_SENSE;
  }
}
