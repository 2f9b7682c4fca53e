package dev.holdfast.frontend.nvmeof;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;

/**
 * One connection of a host, written from the specification and independent of the controller's
 * codecs. One thread reads; commands are sent immediately if the queue has room.
 */
final class HostQueue implements AutoCloseable {
  private static final int ENTRIES = 128;

  private final Wire wire;
  private final DataInputStream in;
  private final OutputStream out;
  private final HostOptions options;
  private final Map<Integer, Pending> pending = new ConcurrentHashMap<>();
  private final ArrayDeque<Pending> backlog = new ArrayDeque<>();
  private final CompletableFuture<Integer> terminated = new CompletableFuture<>();
  private int ids;
  private boolean damage;
  private boolean dead;

  private static final class Pending {
    final Entry entry;
    final byte[] data;
    final boolean inCapsule;
    final ByteBuffer received;
    final CompletableFuture<Outcome> answer = new CompletableFuture<>();

    Pending(Entry entry, byte[] data, int expected, boolean inCapsule) {
      this.entry = entry;
      this.data = data;
      this.inCapsule = inCapsule;
      this.received = ByteBuffer.allocate(expected);
    }
  }

  private HostQueue(Wire wire, HostOptions options) {
    this.wire = wire;
    this.options = options;
    this.in = new DataInputStream(new BufferedInputStream(wire.in(), 1 << 16));
    this.out = wire.out();
  }

  /** Connects and negotiates the format of PDUs. */
  static HostQueue open(URI endpoint, HostOptions options) throws IOException {
    return open(Wire.plain(endpoint), options);
  }

  /** Negotiates the format of PDUs. */
  static HostQueue open(Wire wire, HostOptions options) throws IOException {
    try {
      HostQueue queue = new HostQueue(wire, options);
      queue.greet();
      Thread reader = new Thread(queue::readAll, "nvme-host");
      reader.setDaemon(true);
      reader.start();
      return queue;
    } catch (IOException e) {
      wire.end().close();
      throw e;
    }
  }

  private void greet() throws IOException {
    ByteBuffer request = little(128);
    request.put(0, (byte) 0).put(2, (byte) 128).putInt(4, 128);
    request.put(10, (byte) options.alignment()).put(11, (byte) options.digests());
    out.write(Bytes.all(request));
    out.flush();
    ByteBuffer response = ByteBuffer.wrap(in.readNBytes(128)).order(ByteOrder.LITTLE_ENDIAN);
    if (response.limit() < 128 || response.get(0) != 1 || response.getInt(4) != 128) {
      throw new IOException("there is no ICResp");
    }
    if (response.get(11) != options.digests() || response.getInt(12) < 4096) {
      throw new IOException("the ICResp does not fit the ICReq");
    }
  }

  /** Sends a command without data from the host. */
  CompletableFuture<Outcome> send(Entry entry, int expected) {
    return submit(new Pending(entry.descriptor(0x5a, expected), new byte[0], expected, false));
  }

  /** Sends a command with data, in its capsule if they fit there. */
  CompletableFuture<Outcome> send(Entry entry, byte[] data) {
    boolean inCapsule = data.length <= options.inCapsule();
    return submit(
        new Pending(entry.descriptor(inCapsule ? 0x01 : 0x5a, data.length), data, 0, inCapsule));
  }

  /** Sends a command unchanged, including its descriptor, without data. */
  CompletableFuture<Outcome> sendRaw(Entry entry) {
    return submit(new Pending(entry, new byte[0], 0, false));
  }

  /** Sends a command with data in its capsule whose digest is wrong. */
  CompletableFuture<Outcome> sendDamaged(Entry entry, byte[] data) {
    damage = true;
    return send(entry, data);
  }

  private synchronized CompletableFuture<Outcome> submit(Pending command) {
    if (dead) {
      command.answer.completeExceptionally(new IOException("the connection is lost"));
    } else if (pending.size() >= ENTRIES - 1) {
      backlog.add(command);
    } else {
      start(command);
    }
    return command.answer;
  }

  private void start(Pending command) {
    do {
      ids = (ids + 1) & 0xffff;
    } while (pending.containsKey(ids));
    pending.put(ids, command);
    try {
      byte[] capsule = command.entry.bytes(ids);
      write(4, 0, capsule, command.inCapsule ? command.data : new byte[0], 0);
    } catch (IOException e) {
      pending.remove(ids);
      command.answer.completeExceptionally(e);
    }
  }

  /** Writes a PDU with its digests. */
  private void write(int type, int flags, byte[] header, byte[] data, int padding)
      throws IOException {
    int size = 8 + header.length;
    boolean headerDigest = (options.digests() & 1) != 0;
    boolean dataDigest = (options.digests() & 2) != 0 && data.length > 0;
    int head = size + (headerDigest ? 4 : 0) + padding;
    ByteBuffer pdu = little(head + data.length + (dataDigest ? 4 : 0));
    pdu.put(0, (byte) type);
    pdu.put(1, (byte) (flags | (headerDigest ? 1 : 0) | (dataDigest ? 2 : 0)));
    pdu.put(2, (byte) size).put(3, (byte) (data.length > 0 ? head : 0)).putInt(4, pdu.capacity());
    pdu.put(8, header);
    if (headerDigest) {
      pdu.putInt(size, crc(Bytes.of(pdu, 0, size)));
    }
    pdu.put(head, data);
    if (dataDigest) {
      pdu.putInt(head + data.length, crc(data) ^ (damage ? 1 : 0));
      damage = false;
    }
    raw(Bytes.all(pdu));
  }

  /** Writes bytes unchanged. */
  synchronized void raw(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** Returns the status with which the controller ended the connection. */
  CompletableFuture<Integer> terminated() {
    return terminated;
  }

  private void readAll() {
    try {
      while (true) {
        readPdu();
      }
    } catch (IOException | RuntimeException e) {
      synchronized (this) {
        dead = true;
        backlog.forEach(command -> command.answer.completeExceptionally(lost(e)));
        pending.values().forEach(command -> command.answer.completeExceptionally(lost(e)));
      }
      terminated.completeExceptionally(e);
    }
  }

  private static IOException lost(Exception cause) {
    return new IOException("the connection is lost: " + cause, cause);
  }

  private void readPdu() throws IOException {
    byte[] common = new byte[8];
    in.readFully(common);
    ByteBuffer first = ByteBuffer.wrap(common).order(ByteOrder.LITTLE_ENDIAN);
    int length = first.getInt(4);
    byte[] whole = Arrays.copyOf(common, length);
    in.readFully(whole, 8, length - 8);
    ByteBuffer pdu = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    int type = common[0];
    if (type == 3) {
      terminated.complete(pdu.getShort(8) & 0xffff);
      return;
    }
    int size = common[2] & 0xff;
    if ((options.digests() & 1) != 0 && pdu.getInt(size) != crc(Bytes.of(pdu, 0, size))) {
      throw new IOException("the digest of a header of the controller's is wrong");
    }
    switch (type) {
      case 5 -> response(pdu);
      case 7 -> data(pdu);
      case 9 -> request(pdu);
      default -> throw new IOException("PDU " + type + " came from the controller");
    }
  }

  private void response(ByteBuffer pdu) throws IOException {
    int status = (pdu.getShort(22) & 0xffff) >> 1;
    complete(pdu.getShort(20) & 0xffff, status, pdu.getLong(8), pdu.getShort(16) & 0xffff);
  }

  private void complete(int id, int status, long result, int head) throws IOException {
    Pending command = find(id);
    int length = command.received.position();
    byte[] data = new byte[length];
    command.received.get(0, data);
    synchronized (this) {
      pending.remove(id);
      Pending next = backlog.poll();
      if (next != null) {
        start(next);
      }
    }
    command.answer.complete(
        new Outcome(status & 0x7ff, (status & 0x4000) == 0, result, head, data));
  }

  private void data(ByteBuffer pdu) throws IOException {
    int id = pdu.getShort(8) & 0xffff;
    Pending command = find(id);
    int at = pdu.get(3) & 0xff;
    int length = pdu.getInt(16);
    if (at % ((options.alignment() + 1) * 4) != 0) {
      throw new IOException("data are not aligned as agreed");
    }
    if ((options.digests() & 2) != 0 && pdu.getInt(at + length) != crc(Bytes.of(pdu, at, length))) {
      throw new IOException("the digest of the controller's data is wrong");
    }
    if (pdu.getInt(12) != command.received.position()) {
      throw new IOException("data came out of order");
    }
    command.received.put(Bytes.of(pdu, at, length));
    if ((pdu.get(1) & 8) != 0) {
      complete(id, 0, 0, 0);
    }
  }

  private void request(ByteBuffer pdu) throws IOException {
    int id = pdu.getShort(8) & 0xffff;
    Pending command = find(id);
    int offset = pdu.getInt(12);
    int end = offset + pdu.getInt(16);
    synchronized (this) {
      while (offset < end) {
        int piece = Math.min(options.piece(), end - offset);
        ByteBuffer header = little(16);
        header.putShort(0, (short) id).putShort(2, pdu.getShort(10));
        header.putInt(4, offset).putInt(8, piece);
        byte[] data = new byte[piece];
        System.arraycopy(command.data, offset, data, 0, piece);
        write(6, offset + piece == end ? 4 : 0, Bytes.all(header), data, 0);
        offset += piece;
      }
    }
  }

  private Pending find(int id) throws IOException {
    Pending command = pending.get(id);
    if (command == null) {
      throw new IOException("no command " + id + " is in flight");
    }
    return command;
  }

  static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() throws IOException {
    wire.end().close();
  }
}
