package dev.holdfast.itests;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * One connection of a plain NVMe/TCP host (NVM Express TCP Transport 1.0, 3.6): no digests, data in
 * the capsule, commands without data from the host may wait side by side. For one thread.
 */
final class NvmeConnection implements AutoCloseable {
  private static final int PATIENCE_MILLIS = (int) TimeUnit.SECONDS.toMillis(60);
  private static final int GREETING = 128;
  private static final int HEADER = 8;
  private static final int CAPSULE = 72;
  private static final int CONNECT_DATA = 1024;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final Map<Integer, Answer> arrived = new HashMap<>();
  private final Map<Integer, ByteBuffer> reading = new HashMap<>();
  private int ids;

  /**
   * The completion of a command.
   *
   * @param status type and code, 0 for success
   * @param retry whether trying again may help
   * @param result of the completion
   * @param data from the controller, little-endian
   */
  record Answer(int status, boolean retry, long result, ByteBuffer data) {
    Answer orThrow() throws IOException {
      if (status != 0) {
        throw new IOException("refused with status " + Integer.toHexString(status));
      }
      return this;
    }
  }

  /** Connects, and agrees on how PDUs look. */
  NvmeConnection(URI at) throws IOException {
    socket = new Socket(at.getHost(), at.getPort());
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(PATIENCE_MILLIS);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      out = socket.getOutputStream();
      out.write(little(GREETING).put(2, (byte) GREETING).putInt(4, GREETING).array());
      if (in.readNBytes(GREETING).length < GREETING) {
        throw new IOException("there is no ICResp");
      }
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** An entry of a submission queue. */
  static ByteBuffer entry(int opcode, int namespace) {
    return little(CAPSULE - HEADER).put(0, (byte) opcode).putInt(4, namespace);
  }

  /** A Connect of a queue without flow control (Base 2.0, 6.3); returns the controller's answer. */
  Answer connect(UUID host, String subsystem, int queue, int controller, int keepAliveMillis)
      throws IOException {
    ByteBuffer entry = entry(0x7f, 0).put(4, (byte) 1).putInt(40, queue << 16);
    entry.putInt(44, 31 | 1 << 18).putInt(48, keepAliveMillis);
    ByteBuffer data = ByteBuffer.allocate(CONNECT_DATA);
    data.putLong(0, host.getMostSignificantBits()).putLong(8, host.getLeastSignificantBits());
    data.order(ByteOrder.LITTLE_ENDIAN).putShort(16, (short) controller);
    data.put(256, subsystem.getBytes(StandardCharsets.UTF_8));
    data.put(512, ("nqn.2014-08.org.nvmexpress:uuid:" + host).getBytes(StandardCharsets.UTF_8));
    return await(send(entry, data.array(), 0));
  }

  /** Sends a command with data in its capsule and waits for its end. */
  Answer run(ByteBuffer entry, byte[] data) throws IOException {
    return await(send(entry, data, 0));
  }

  /** Sends a command that brings data, or none, and waits for its end. */
  Answer run(ByteBuffer entry, int bytes) throws IOException {
    return await(send(entry, new byte[0], bytes));
  }

  /** Sends a command that may take long; returns its identifier. */
  int begin(ByteBuffer entry) throws IOException {
    return send(entry, new byte[0], 0);
  }

  private int send(ByteBuffer entry, byte[] data, int bytes) throws IOException {
    ids++;
    boolean inCapsule = data.length > 0;
    entry.putShort(2, (short) ids).putInt(32, inCapsule ? data.length : bytes);
    entry.put(39, (byte) (inCapsule ? 0x01 : 0x5a));
    ByteBuffer pdu = little(CAPSULE + data.length).put(0, (byte) 4).put(2, (byte) CAPSULE);
    pdu.put(3, (byte) (inCapsule ? CAPSULE : 0)).putInt(4, CAPSULE + data.length);
    reading.put(ids, little(bytes));
    pdu.put(HEADER, bytes(entry, 0, CAPSULE - HEADER)).put(CAPSULE, data);
    out.write(bytes(pdu, 0, pdu.capacity()));
    return ids;
  }

  /** Waits for the completion of a command, and keeps those of other commands that arrive first. */
  Answer await(int id) throws IOException {
    while (!arrived.containsKey(id)) {
      receive();
    }
    return arrived.remove(id);
  }

  /** Waits until the controller closes the connection. */
  void awaitEnd() throws IOException {
    while (in.read() >= 0) {
      // What was under way is of no interest.
    }
  }

  private void receive() throws IOException {
    byte[] head = new byte[HEADER];
    in.readFully(head);
    int length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt(4);
    byte[] whole = Arrays.copyOf(head, length);
    in.readFully(whole, HEADER, length - HEADER);
    ByteBuffer pdu = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    switch (pdu.get(0)) {
      case 5 -> ended(pdu.getShort(20), (pdu.getShort(22) & 0xffff) >> 1, pdu.getLong(8));
      case 7 -> data(pdu);
      default -> throw new IOException("PDU " + pdu.get(0) + " came from the controller");
    }
  }

  private void data(ByteBuffer pdu) {
    int id = pdu.getShort(8) & 0xffff;
    reading.get(id).put(pdu.getInt(12), bytes(pdu, pdu.get(3), pdu.getInt(16)));
    boolean success = (pdu.get(1) & 8) != 0;
    if (success) {
      ended(id, 0, 0);
    }
  }

  private void ended(int id, int status, long result) {
    boolean retry = (status & 0x4000) == 0;
    arrived.put(id, new Answer(status & 0x7ff, retry, result, reading.remove(id)));
  }

  /** Returns a copy of a part of a buffer. */
  static byte[] bytes(ByteBuffer buffer, int at, int length) {
    byte[] part = new byte[length];
    buffer.get(at, part);
    return part;
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
