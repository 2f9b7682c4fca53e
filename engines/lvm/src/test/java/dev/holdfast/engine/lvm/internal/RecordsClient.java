package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Records of a {@link RecordsServer}; each call has a connection of its own. */
final class RecordsClient implements EngineRecords {
  private final InetSocketAddress server;

  RecordsClient(InetSocketAddress server) {
    this.server = server;
  }

  private interface Request {
    void write(DataOutputStream output) throws IOException;
  }

  private interface Answer<T> {
    T read(DataInputStream input) throws IOException;
  }

  private <T> T call(char kind, Request request, Answer<T> answer) throws StorageException {
    try (Socket socket = new Socket()) {
      socket.connect(server);
      DataOutputStream output = new DataOutputStream(socket.getOutputStream());
      output.writeChar(kind);
      request.write(output);
      output.flush();
      return answer.read(new DataInputStream(socket.getInputStream()));
    } catch (IOException e) {
      throw new StorageException(ErrorCode.UNREACHABLE, "records: " + e, e);
    }
  }

  @Override
  public Optional<EngineRecord> read(String name) throws StorageException {
    return call(RecordsServer.READ, output -> output.writeUTF(name), RecordsServer::read);
  }

  @Override
  public boolean compareAndSet(Optional<EngineRecord> expected, EngineRecord next)
      throws StorageException {
    return call(
        RecordsServer.WRITE,
        output -> {
          RecordsServer.write(output, expected);
          RecordsServer.write(output, Optional.of(next));
        },
        DataInputStream::readBoolean);
  }

  @Override
  public boolean delete(EngineRecord expected) throws StorageException {
    return call(
        RecordsServer.DELETE,
        output -> RecordsServer.write(output, Optional.of(expected)),
        DataInputStream::readBoolean);
  }

  @Override
  public List<EngineRecord> list(String prefix) throws StorageException {
    return call(
        RecordsServer.LIST,
        output -> output.writeUTF(prefix),
        input -> {
          List<EngineRecord> found = new ArrayList<>();
          for (int left = input.readInt(); left > 0; left--) {
            found.add(RecordsServer.read(input).orElseThrow());
          }
          return found;
        });
  }

  @Override
  public RecordWatch watch(String prefix, Consumer<String> changed) {
    throw new UnsupportedOperationException();
  }
}
