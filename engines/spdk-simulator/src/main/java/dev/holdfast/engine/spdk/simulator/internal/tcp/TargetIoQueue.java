package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** NvmeOpcodes of an I/O queue. They block their thread. */
final class TargetIoQueue {
  private static final Logger LOG = LoggerFactory.getLogger(TargetIoQueue.class);
  private static final int RANGE = 16;
  private static final int DEALLOCATE = 1 << 2;
  private static final int ZEROES_DEALLOCATE = 1 << 25;

  private final TargetSession session;
  private final TcpConnection connection;

  TargetIoQueue(TargetSession session, TcpConnection connection) {
    this.session = session;
    this.connection = connection;
  }

  /** Returns whether a command carries data for the target. */
  static boolean takesData(ByteBuffer command) {
    int opcode = command.get(0);
    return opcode == NvmeOpcodes.WRITE || opcode == NvmeOpcodes.DATASET_MANAGEMENT;
  }

  /** Runs a command and answers it. A device that fails ends the command and nothing else. */
  void run(ByteBuffer command, ByteBuffer data) {
    int id = TcpConnection.id(command);
    try {
      execute(id, command, data);
    } catch (StatusException e) {
      connection.complete(id, e.status(), 0);
    } catch (FabricException e) {
      connection.complete(id, e.status(), 0);
    } catch (IOException e) {
      LOG.debug("command failed", e);
      connection.complete(id, NvmeOpcodes.INTERNAL_ERROR, 0);
    }
  }

  private void execute(int id, ByteBuffer command, ByteBuffer data)
      throws IOException, StatusException {
    ServedNamespace namespace = namespace(command.getInt(4));
    switch (command.get(0) & 0xff) {
      case NvmeOpcodes.READ -> {
        Range range = Range.of(command, namespace);
        ByteBuffer bytes = TcpPdu.buffer(transfer(command, range));
        namespace.read(range.offset(), bytes);
        connection.reply(id, bytes.rewind());
        return;
      }
      case NvmeOpcodes.WRITE -> {
        Range range = Range.of(command, namespace);
        int unused = transfer(command, range);
        namespace.write(range.offset(), data);
      }
      case NvmeOpcodes.WRITE_ZEROES -> {
        if ((command.getInt(48) & ZEROES_DEALLOCATE) != 0) {
          throw new StatusException(NvmeOpcodes.INVALID_FIELD);
        }
        Range range = Range.of(command, namespace);
        namespace.zero(range.offset(), range.length());
      }
      case NvmeOpcodes.DATASET_MANAGEMENT -> deallocate(command, namespace, data);
      case NvmeOpcodes.FLUSH -> namespace.flush();
      default -> throw new StatusException(NvmeOpcodes.INVALID_OPCODE);
    }
    connection.complete(id, NvmeOpcodes.SUCCESS, 0);
  }

  private ServedNamespace namespace(int number) throws StatusException {
    return session.association().served().stream()
        .filter(one -> one.id() == number)
        .findFirst()
        .orElseThrow(() -> new StatusException(NvmeOpcodes.INVALID_NAMESPACE));
  }

  private static int transfer(ByteBuffer command, Range range) throws StatusException {
    if (command.getInt(32) != range.length() || range.length() > TcpPdu.MOST_DATA) {
      throw new StatusException(NvmeOpcodes.INVALID_FIELD);
    }
    return (int) range.length();
  }

  private static void deallocate(ByteBuffer command, ServedNamespace namespace, ByteBuffer data)
      throws IOException, StatusException {
    int count = (command.getInt(40) & 0xff) + 1;
    if (data.remaining() < count * RANGE) {
      throw new StatusException(NvmeOpcodes.INVALID_FIELD);
    }
    if ((command.getInt(44) & DEALLOCATE) == 0) {
      return;
    }
    for (int i = 0; i < count; i++) {
      Range range =
          Range.of(
              data.getLong(i * RANGE + 8), data.getInt(i * RANGE + 4) & 0xffff_ffffL, namespace);
      namespace.zero(range.offset(), range.length());
    }
  }

  /** A range in bytes inside of a namespace. */
  private record Range(long offset, long length) {
    static Range of(ByteBuffer command, ServedNamespace namespace) throws StatusException {
      return of(command.getLong(40), (command.getInt(48) & 0xffff) + 1L, namespace);
    }

    static Range of(long block, long blocks, ServedNamespace namespace) throws StatusException {
      if (block < 0 || block > namespace.blocks() || blocks > namespace.blocks() - block) {
        throw new StatusException(NvmeOpcodes.OUT_OF_RANGE);
      }
      return new Range(block * namespace.blockSize(), blocks * namespace.blockSize());
    }
  }
}
