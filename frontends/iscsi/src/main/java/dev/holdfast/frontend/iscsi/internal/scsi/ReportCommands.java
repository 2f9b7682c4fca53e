package dev.holdfast.frontend.iscsi.internal.scsi;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Commands that report on the logical unit and its target. */
final class ReportCommands {
  private static final int TIMEOUTS = 12;

  private ReportCommands() {}

  static Plan luns(Cdb cdb) throws CommandException {
    if (cdb.u32(6) < 16 || cdb.u8(2) > 2) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    // Only number 0; no well known logical unit.
    ByteBuffer data = ByteBuffer.allocate(cdb.u8(2) == 1 ? 8 : 16);
    data.putInt(0, data.capacity() - 8);
    return Plan.now((task, none) -> task.answer(data.array(), cdb.u32(6)));
  }

  static Plan capacity(Cdb cdb, Volume volume) throws CommandException {
    long last = volume.blocks() - 1;
    if (cdb.opcode() == Command.READ_CAPACITY_10.opcode()) {
      if (cdb.u32(2) != 0 || cdb.bit(8, 0x01)) {
        throw CommandException.of(Sense.INVALID_FIELD);
      }
      ByteBuffer data = ByteBuffer.allocate(8);
      data.putInt((int) Math.min(last, 0xffffffffL)).putInt(Volume.BLOCK);
      return Plan.now((task, none) -> task.answer(data.array(), data.capacity()));
    }
    ByteBuffer data = ByteBuffer.allocate(32).putLong(0, last).putInt(8, Volume.BLOCK);
    data.put(13, (byte) volume.physicalExponent());
    data.put(14, (byte) 0xc0); // thin, and what is unmapped reads as zeroes
    return Plan.now((task, none) -> task.answer(data.array(), cdb.u32(10)));
  }

  /** Returns one group with one port, active/optimized. */
  static Plan portGroups(Cdb cdb) throws CommandException {
    int format = cdb.u8(1) >> 5;
    if (format > 1) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    ByteBuffer data = ByteBuffer.allocate(format == 0 ? 16 : 20);
    data.putInt(data.capacity() - Integer.BYTES);
    if (format == 1) {
      data.put((byte) 0x10).put((byte) 0).putShort((short) 0);
    }
    data.put((byte) 0x00).put((byte) 0x01).putShort((short) 1); // this state alone; group 1
    data.put((byte) 0).put((byte) 0x02).put((byte) 0).put((byte) 1); // by implicit means; 1 port
    data.putInt(1);
    return Plan.now((task, none) -> task.answer(data.array(), cdb.u32(6)));
  }

  static Plan opcodes(Cdb cdb) throws CommandException {
    boolean timeouts = cdb.bit(2, 0x80);
    byte[] data =
        switch (cdb.u8(2) & 0x07) {
          case 0 -> all(timeouts);
          case 1 -> one(cdb, timeouts, false, false);
          case 2 -> one(cdb, timeouts, true, false);
          case 3 -> one(cdb, timeouts, true, true);
          default -> throw CommandException.of(Sense.INVALID_FIELD);
        };
    return Plan.now((task, none) -> task.answer(data, cdb.u32(6)));
  }

  private static byte[] all(boolean timeouts) {
    ByteArrayOutputStream list = new ByteArrayOutputStream();
    for (Command command : Command.values()) {
      ByteBuffer entry = ByteBuffer.allocate(8);
      entry.put(0, (byte) command.opcode()).putShort(2, (short) command.action());
      entry.put(5, (byte) ((timeouts ? 0x02 : 0) | (command.hasAction() ? 0x01 : 0)));
      entry.putShort(6, (short) command.length());
      list.writeBytes(entry.array());
      if (timeouts) {
        list.writeBytes(noTimeouts());
      }
    }
    ByteBuffer data = ByteBuffer.allocate(Integer.BYTES + list.size());
    return data.putInt(list.size()).put(list.toByteArray()).array();
  }

  private static byte[] one(Cdb cdb, boolean timeouts, boolean withAction, boolean either)
      throws CommandException {
    int action = cdb.u16(4);
    boolean has =
        Arrays.stream(Command.values())
            .anyMatch(command -> command.opcode() == cdb.u8(3) && command.hasAction());
    boolean known = Command.known(cdb.u8(3));
    if (known && !either && has != withAction) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    boolean fits = has || !either || action == 0;
    byte[] usage =
        Command.of(cdb.u8(3), action)
            .filter(command -> fits)
            .map(Command::usage)
            .orElse(new byte[0]);
    boolean supported = usage.length > 0;
    ByteBuffer data =
        ByteBuffer.allocate(4 + usage.length + (timeouts && supported ? TIMEOUTS : 0));
    data.put((byte) 0).put((byte) ((timeouts && supported ? 0x80 : 0) | (supported ? 0x03 : 0x01)));
    data.putShort((short) usage.length).put(usage);
    if (timeouts && supported) {
      data.put(noTimeouts());
    }
    return data.array();
  }

  /** Reports no command time-outs, because they depend on the place of the volume's replicas. */
  private static byte[] noTimeouts() {
    return ByteBuffer.allocate(TIMEOUTS).putShort(0, (short) (TIMEOUTS - 2)).array();
  }

  /** ABORT TASK, ABORT TASK SET, CLEAR TASK SET, LOGICAL UNIT RESET. */
  static Plan taskFunctions(Cdb cdb) {
    byte[] data = new byte[cdb.bit(2, 0x80) ? 16 : 4];
    data[0] = (byte) 0xd8;
    data[3] = (byte) (data.length - 4);
    return Plan.now((task, none) -> task.answer(data, cdb.u32(6)));
  }
}
