package dev.holdfast.itests;

import static dev.holdfast.itests.NvmeConnection.bytes;
import static dev.holdfast.itests.NvmeConnection.entry;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;

/** A host that is connected to a volume: its admin queue and one I/O queue. */
final class NvmeHost implements AutoCloseable {
  static final int BLOCK = 512;

  private static final int ANY_CONTROLLER = 0xffff;
  private static final int PAGE = 4096;
  private static final int REPORT = 128;
  private static final int PERSISTENT = 3 << 30;
  private static final int WRITE_EXCLUSIVE = 1 << 8;

  private final NvmeConnection admin;
  private final NvmeConnection io;
  private final int controller;

  private NvmeHost(NvmeConnection admin, NvmeConnection io, int controller) {
    this.admin = admin;
    this.io = io;
    this.controller = controller;
  }

  /** Connects to the volume of an endpoint. */
  static NvmeHost connect(URI at, UUID host) throws IOException {
    NvmeConnection admin = new NvmeConnection(at);
    NvmeConnection io = new NvmeConnection(at);
    try {
      String subsystem = subsystem(at);
      int controller = enable(admin, host, subsystem, 0);
      io.connect(host, subsystem, 1, controller, 0).orThrow();
      return new NvmeHost(admin, io, controller);
    } catch (IOException e) {
      admin.close();
      io.close();
      throw e;
    }
  }

  /** Requests a new controller, and returns the response; closes the connection. */
  static NvmeConnection.Answer ask(URI at, UUID host) throws IOException {
    try (NvmeConnection connection = new NvmeConnection(at)) {
      return connection.connect(host, subsystem(at), 0, ANY_CONTROLLER, 0);
    }
  }

  /** Connects an admin queue and enables its controller, whose number it returns. */
  static int enable(NvmeConnection connection, UUID host, String subsystem, int keepAliveMillis)
      throws IOException {
    long made =
        connection.connect(host, subsystem, 0, ANY_CONTROLLER, keepAliveMillis).orThrow().result();
    ByteBuffer configuration = entry(0x7f, 0).putInt(44, 0x14).putInt(48, 0x460001);
    connection.run(configuration, 0).orThrow();
    return (int) made & 0xffff;
  }

  private static String subsystem(URI at) {
    return at.getPath().substring(1);
  }

  /** Returns the controller's number. */
  int controller() {
    return controller;
  }

  /** Returns the identity by which a host recognizes the volume: serial number and GUID. */
  String identity() throws IOException {
    ByteBuffer subsystem = admin.run(entry(0x06, 0).putInt(40, 1), PAGE).orThrow().data();
    ByteBuffer namespace = admin.run(entry(0x06, 1), PAGE).orThrow().data();
    return Arrays.toString(bytes(subsystem, 4, 20)) + Arrays.toString(bytes(namespace, 104, 16));
  }

  /** Returns the state of the namespace's group of asymmetric access; 1 is optimized. */
  int asymmetricAccess() throws IOException {
    ByteBuffer log =
        admin.run(entry(0x02, -1).putInt(40, 0x0c | (64 / 4 - 1) << 16), 64).orThrow().data();
    return log.get(32) & 0xf;
  }

  /** Registers a key that persists when the volume moves, and reserves the volume for writing. */
  void reserve(long key) throws IOException {
    io.run(entry(0x0d, 1).putInt(40, PERSISTENT), keys(0, key)).orThrow();
    io.run(entry(0x11, 1).putInt(40, WRITE_EXCLUSIVE), keys(key, 0)).orThrow();
  }

  /** Returns the key of the only registrant, who must be the holder. */
  long heldBy() throws IOException {
    ByteBuffer entry = entry(0x0e, 1).putInt(40, REPORT / 4 - 1).putInt(44, 1);
    ByteBuffer report = io.run(entry, REPORT).orThrow().data();
    boolean held = report.getShort(5) == 1 && report.get(4) == 1 && report.get(66) == 1;
    if (!held) {
      throw new IOException("the reservation is " + Arrays.toString(bytes(report, 0, REPORT)));
    }
    return report.getLong(72);
  }

  /** Writes a block, and returns the status. */
  int write(long block, byte[] data) throws IOException {
    return io.run(entry(0x01, 1).putLong(40, block), data).status();
  }

  byte[] read(long block) throws IOException {
    ByteBuffer found = io.run(entry(0x02, 1).putLong(40, block), BLOCK).orThrow().data();
    return bytes(found, 0, BLOCK);
  }

  /** Waits until both queues' connections are closed by the controller. */
  void awaitEnd() throws IOException {
    admin.awaitEnd();
    io.awaitEnd();
  }

  private static byte[] keys(long current, long other) {
    return ByteBuffer.allocate(16)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(current)
        .putLong(other)
        .array();
  }

  @Override
  public void close() throws IOException {
    io.close();
    admin.close();
  }
}
