package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.StorageException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;

/** Serves records of this process to engines in virtual machines; see {@link RecordsClient}. */
final class RecordsServer implements AutoCloseable {
  static final char READ = 'R';
  static final char WRITE = 'W';
  static final char DELETE = 'D';
  static final char LIST = 'L';

  private final EngineRecords records;
  private final ServerSocket socket;

  RecordsServer(EngineRecords records) throws IOException {
    this.records = records;
    this.socket = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "records");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return socket.getLocalPort();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        start(() -> serve(client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        DataInputStream input = new DataInputStream(client.getInputStream());
        DataOutputStream output = new DataOutputStream(client.getOutputStream())) {
      answer(input, output);
    } catch (IOException | StorageException e) {
      // The client gets no answer and fails.
    }
  }

  private void answer(DataInputStream input, DataOutputStream output)
      throws IOException, StorageException {
    char call = input.readChar();
    switch (call) {
      case READ -> write(output, records.read(input.readUTF()));
      case WRITE ->
          output.writeBoolean(records.compareAndSet(read(input), read(input).orElseThrow()));
      case DELETE -> output.writeBoolean(records.delete(read(input).orElseThrow()));
      case LIST -> {
        List<EngineRecord> found = records.list(input.readUTF());
        output.writeInt(found.size());
        for (EngineRecord record : found) {
          write(output, Optional.of(record));
        }
      }
      default -> throw new IOException("call " + call);
    }
  }

  static void write(DataOutputStream output, Optional<EngineRecord> record) throws IOException {
    output.writeBoolean(record.isPresent());
    if (record.isPresent()) {
      output.writeUTF(record.get().name());
      output.writeLong(record.get().version());
      output.writeUTF(record.get().writer());
      output.writeInt(record.get().value().length);
      output.write(record.get().value());
    }
  }

  static Optional<EngineRecord> read(DataInputStream input) throws IOException {
    if (!input.readBoolean()) {
      return Optional.empty();
    }
    String name = input.readUTF();
    long version = input.readLong();
    String writer = input.readUTF();
    return Optional.of(new EngineRecord(name, version, writer, input.readNBytes(input.readInt())));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
