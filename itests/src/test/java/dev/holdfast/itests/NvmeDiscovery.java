package dev.holdfast.itests;

import static dev.holdfast.itests.NvmeConnection.bytes;
import static dev.holdfast.itests.NvmeConnection.entry;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A host that stays connected to one Discovery controller (NVM Express Base 2.0, 3.1.2.3) and reads
 * its log after each event that the log has changed.
 */
final class NvmeDiscovery implements AutoCloseable {
  static final String SUBSYSTEM = "nqn.2014-08.org.nvmexpress.discovery";

  private static final int KEEP_ALIVE_MILLIS = 600_000;
  private static final int RECORD = 1024;
  private static final int MOST_RECORDS = 15;
  private static final int CHANGED = 0x70_f0_02;

  private final NvmeConnection connection;
  private int event;

  private NvmeDiscovery(NvmeConnection connection) throws IOException {
    this.connection = connection;
    this.event = connection.begin(entry(0x0c, 0));
  }

  /** Connects, and enables events of changes. */
  static NvmeDiscovery connect(URI at, UUID host) throws IOException {
    NvmeConnection connection = new NvmeConnection(at);
    try {
      NvmeHost.enable(connection, host, SUBSYSTEM, KEEP_ALIVE_MILLIS);
      ByteBuffer notices = entry(0x09, 0).putInt(40, 0x0b).putInt(44, 1 << 31);
      connection.run(notices, 0).orThrow();
      return new NvmeDiscovery(connection);
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }

  /** Returns where subsystems are, as {@code address:port/subsystem}. */
  Set<String> listed() throws IOException {
    int bytes = (MOST_RECORDS + 1) * RECORD;
    ByteBuffer entry = entry(0x02, 0).putInt(40, 0x70 | (bytes / 4 - 1) << 16);
    ByteBuffer log = connection.run(entry, bytes).orThrow().data();
    Set<String> found = new TreeSet<>();
    for (int i = 1; i <= log.getLong(8); i++) {
      int at = i * RECORD;
      found.add(text(log, at + 512) + ":" + text(log, at + 32) + "/" + text(log, at + 256));
    }
    return found;
  }

  /** Waits for events of a changed log until the log lists exactly this. */
  void awaitListed(Set<String> expected) throws IOException {
    do {
      long told = connection.await(event).orThrow().result();
      if (told != CHANGED) {
        throw new IOException("an event says " + Long.toHexString(told));
      }
      event = connection.begin(entry(0x0c, 0));
    } while (!listed().equals(expected));
  }

  private static String text(ByteBuffer log, int at) {
    int end = at;
    while (log.get(end) > ' ') {
      end++;
    }
    return new String(bytes(log, at, end - at), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
