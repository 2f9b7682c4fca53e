package dev.holdfast.engine.spdk.simulator.internal.tcp;

import java.nio.ByteBuffer;

/** NvmeOpcodes of the admin queue of a controller. */
final class TargetAdminQueue {
  private static final int QUEUES = 127;
  private static final int NUMBER_OF_QUEUES = 0x07;
  private static final int ERRORS = 0x01;
  private static final int HEALTH = 0x02;
  private static final int FIRMWARE = 0x03;
  private static final int CHANGED_NAMESPACES = 0x04;
  private static final int EFFECTS = 0x05;
  private static final int ACCESS = 0x0c;
  private static final int PAGE = 4_096;

  private final TargetSession session;
  private final TcpConnection connection;

  TargetAdminQueue(TargetSession session, TcpConnection connection) {
    this.session = session;
    this.connection = connection;
  }

  void run(ByteBuffer command) throws StatusException {
    int id = TcpConnection.id(command);
    switch (command.get(0) & 0xff) {
      case NvmeOpcodes.IDENTIFY -> connection.reply(id, identify(command));
      case NvmeOpcodes.GET_LOG -> connection.reply(id, log(command));
      case NvmeOpcodes.SET_FEATURES, NvmeOpcodes.GET_FEATURES ->
          connection.complete(id, NvmeOpcodes.SUCCESS, feature(command));
      case NvmeOpcodes.KEEP_ALIVE -> connection.complete(id, NvmeOpcodes.SUCCESS, 0);
      case NvmeOpcodes.ABORT -> connection.complete(id, NvmeOpcodes.SUCCESS, 1);
      case NvmeOpcodes.EVENT_REQUEST ->
          session.await(event -> connection.complete(id, NvmeOpcodes.SUCCESS, event));
      default -> throw new StatusException(NvmeOpcodes.INVALID_OPCODE);
    }
  }

  private static long feature(ByteBuffer command) {
    return (command.getInt(40) & 0xff) == NUMBER_OF_QUEUES ? (QUEUES - 1) | (QUEUES - 1) << 16 : 0;
  }

  private ByteBuffer identify(ByteBuffer command) throws StatusException {
    ServedAssociation association = session.association();
    int number = command.getInt(4);
    return switch (command.getInt(40) & 0xff) {
      case 0x00 -> Pages.namespace(namespace(number));
      case 0x01 -> Pages.controller(association.subsystem(), association.controllerId(), false);
      case 0x02 -> Pages.numbers(association.served(), number);
      case 0x03 -> Pages.descriptors(namespace(number));
      case 0x05, 0x06 -> TcpPdu.buffer(PAGE);
      default -> throw new StatusException(NvmeOpcodes.INVALID_FIELD);
    };
  }

  private ServedNamespace namespace(int number) throws StatusException {
    return session.association().served().stream()
        .filter(one -> one.id() == number)
        .findFirst()
        .orElseThrow(() -> new StatusException(NvmeOpcodes.INVALID_NAMESPACE));
  }

  private ByteBuffer log(ByteBuffer command) throws StatusException {
    boolean groupsOnly = (command.getInt(40) & 1 << 8) != 0;
    ByteBuffer page =
        switch (command.getInt(40) & 0xff) {
          case ERRORS, HEALTH, FIRMWARE, CHANGED_NAMESPACES -> TcpPdu.buffer(PAGE);
          case EFFECTS -> effects();
          case ACCESS -> Pages.access(session.association(), groupsOnly);
          default -> throw new StatusException(NvmeOpcodes.INVALID_LOG);
        };
    long dwords = (command.getInt(40) >>> 16 | (command.getInt(44) & 0xffffL) << 16) + 1;
    long from = command.getLong(48);
    if (from < 0 || from > page.capacity() || dwords * 4 > TcpPdu.MOST_DATA) {
      throw new StatusException(NvmeOpcodes.INVALID_FIELD);
    }
    ByteBuffer part = TcpPdu.buffer((int) dwords * 4);
    int bytes = (int) Math.min(part.capacity(), page.capacity() - from);
    return part.put(0, page, (int) from, bytes);
  }

  private static ByteBuffer effects() {
    ByteBuffer page = TcpPdu.buffer(PAGE);
    int[] admin = {
      NvmeOpcodes.GET_LOG,
      NvmeOpcodes.IDENTIFY,
      NvmeOpcodes.ABORT,
      NvmeOpcodes.SET_FEATURES,
      NvmeOpcodes.GET_FEATURES,
      NvmeOpcodes.EVENT_REQUEST,
      NvmeOpcodes.KEEP_ALIVE
    };
    int[] io = {
      NvmeOpcodes.FLUSH,
      NvmeOpcodes.WRITE,
      NvmeOpcodes.READ,
      NvmeOpcodes.WRITE_ZEROES,
      NvmeOpcodes.DATASET_MANAGEMENT
    };
    for (int opcode : admin) {
      page.putInt(4 * opcode, 1);
    }
    for (int opcode : io) {
      page.putInt(1_024 + 4 * opcode, 1);
    }
    return page;
  }
}
