package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of one queue. One thread reads it; commands of I/O queues have threads. */
final class TcpConnection implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpConnection.class);
  private static final int CONNECT_DATA = 1_024;
  private static final int NAME = 256;
  private static final int IN_CAPSULE_SGL = 0x01;

  private final TcpPort port;
  private final SocketChannel channel;
  private final ExecutorService threads;
  private final Map<Integer, Transfer> transfers = new HashMap<>();
  private Optional<TargetSession> session = Optional.empty();
  private int number;
  private int entries = 2;
  private int head;

  /** A command whose data have been asked for. */
  private record Transfer(ByteBuffer command, ByteBuffer data) {}

  TcpConnection(TcpPort port, SocketChannel channel, ExecutorService threads) {
    this.port = port;
    this.channel = channel;
    this.threads = threads;
  }

  static int id(ByteBuffer command) {
    return command.getShort(2) & 0xffff;
  }

  /** Serves the queue until the connection ends. */
  void serve() {
    try (channel) {
      TcpPdu greeting = TcpPdu.read(channel);
      if (greeting.type() != TcpPdu.REQUEST) {
        throw new IOException("PDU of type " + greeting.type() + " before the greeting");
      }
      write(TcpPdu.answer());
      while (true) {
        receive(TcpPdu.read(channel));
      }
    } catch (IOException | RejectedExecutionException e) {
      LOG.debug("connection ended", e);
    } finally {
      if (number == 0) {
        session.ifPresent(port::left);
      }
    }
  }

  private void receive(TcpPdu pdu) throws IOException {
    if (pdu.type() == TcpPdu.DATA_TO_TARGET) {
      receiveData(pdu);
      return;
    }
    ByteBuffer command = TcpPdu.buffer(64).put(pdu.command()).rewind();
    try {
      start(command, pdu.data());
    } catch (StatusException e) {
      complete(id(command), e.status(), 0);
    }
  }

  private void start(ByteBuffer command, ByteBuffer data) throws IOException, StatusException {
    if ((command.get(0) & 0xff) == NvmeOpcodes.FABRICS) {
      fabrics(command, data);
    } else if (session.isEmpty() || !session.get().isEnabled()) {
      throw new StatusException(NvmeOpcodes.SEQUENCE_ERROR);
    } else if (number == 0) {
      new TargetAdminQueue(session.get(), this).run(command);
    } else if (TargetIoQueue.takesData(command) && command.get(39) != IN_CAPSULE_SGL) {
      ask(command);
    } else {
      execute(command, data);
    }
  }

  private void execute(ByteBuffer command, ByteBuffer data) {
    TargetIoQueue queue = new TargetIoQueue(session.orElseThrow(), this);
    threads.execute(() -> queue.run(command, data));
  }

  // --- data on request --------------------------------------------------------------------

  private void ask(ByteBuffer command) throws IOException, StatusException {
    int length = command.getInt(32);
    if (length <= 0 || length > TcpPdu.MOST_DATA) {
      throw new StatusException(NvmeOpcodes.INVALID_FIELD);
    }
    transfers.put(id(command), new Transfer(command, TcpPdu.buffer(length)));
    write(TcpPdu.ready(id(command), length));
  }

  private void receiveData(TcpPdu pdu) throws IOException {
    int id = pdu.header().getShort(8) & 0xffff;
    Transfer transfer = transfers.get(id);
    if (transfer == null
        || pdu.header().getInt(12) != transfer.data().position()
        || pdu.data().remaining() > transfer.data().remaining()) {
      throw new IOException("data of command " + id + " that were not asked for");
    }
    transfer.data().put(pdu.data());
    if (!transfer.data().hasRemaining()) {
      transfers.remove(id);
      execute(transfer.command(), transfer.data().flip());
    }
  }

  // --- fabrics ----------------------------------------------------------------------------

  private void fabrics(ByteBuffer command, ByteBuffer data) throws StatusException {
    int id = id(command);
    int type = command.get(4) & 0xff;
    if (type == NvmeOpcodes.CONNECT) {
      complete(id, NvmeOpcodes.SUCCESS, connect(command, data));
      return;
    }
    TargetSession present =
        session.orElseThrow(() -> new StatusException(NvmeOpcodes.SEQUENCE_ERROR));
    switch (type) {
      case NvmeOpcodes.PROPERTY_GET ->
          complete(id, NvmeOpcodes.SUCCESS, present.property(command.getInt(44)));
      case NvmeOpcodes.PROPERTY_SET -> {
        if (command.getInt(44) != TargetSession.CONFIGURATION) {
          throw new StatusException(NvmeOpcodes.INVALID_FIELD);
        }
        present.configure(command.getInt(48));
        complete(id, NvmeOpcodes.SUCCESS, 0);
      }
      case NvmeOpcodes.DISCONNECT -> {
        complete(id, NvmeOpcodes.SUCCESS, 0);
        closeQuietly(this);
      }
      default -> throw new StatusException(NvmeOpcodes.INVALID_OPCODE);
    }
  }

  /** Returns the number of the controller. */
  private long connect(ByteBuffer command, ByteBuffer data) throws StatusException {
    if (session.isPresent() || data.remaining() < CONNECT_DATA) {
      throw new StatusException(NvmeOpcodes.SEQUENCE_ERROR);
    }
    String subsystem = name(data, NAME);
    String host = name(data, 2 * NAME);
    int queue = command.getShort(42) & 0xffff;
    TargetSession joined;
    try {
      joined =
          queue == 0
              ? port.admit(subsystem, host)
              : port.find(subsystem, data.getShort(16) & 0xffff);
    } catch (FabricException e) {
      throw new StatusException(e.status());
    }
    number = queue;
    entries = (command.getShort(44) & 0xffff) + 1;
    session = Optional.of(joined);
    if (!joined.join(this)) {
      throw new StatusException(FabricException.INVALID_PARAMETER);
    }
    return joined.association().controllerId();
  }

  private static String name(ByteBuffer data, int at) {
    byte[] bytes = new byte[NAME];
    data.get(at, bytes);
    String whole = new String(bytes, StandardCharsets.UTF_8);
    int end = whole.indexOf(0);
    return end < 0 ? whole : whole.substring(0, end);
  }

  // --- answers ----------------------------------------------------------------------------

  /** Completes a command. The host may be gone by then. */
  void complete(int id, int status, long result) {
    send(id, TcpPdu.buffer(0), status, result);
  }

  /** Sends data and completes their command. */
  void reply(int id, ByteBuffer data) {
    send(id, data, NvmeOpcodes.SUCCESS, 0);
  }

  private synchronized void send(int id, ByteBuffer data, int status, long result) {
    head = (head + 1) % entries;
    try {
      write(
          data.hasRemaining()
              ? TcpPdu.dataToHost(id, data, true)
              : TcpPdu.response(id, number, head, status, result));
    } catch (IOException e) {
      LOG.debug("answer is lost", e);
    }
  }

  private synchronized void write(ByteBuffer pdu) throws IOException {
    ByteBuffer rest = pdu.rewind();
    while (rest.hasRemaining()) {
      channel.write(rest);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  static void closeQuietly(Closeable connection) {
    try {
      connection.close();
    } catch (IOException e) {
      LOG.debug("could not close a connection", e);
    }
  }
}
