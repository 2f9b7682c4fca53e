package dev.holdfast.vm.testkit;

import dev.holdfast.host.HostProcess;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** A program in the virtual machine that communicates with the test. */
final class AgentProcess implements HostProcess {
  private static final int BUFFER = 1 << 16;

  private final AgentConnection connection;
  private final PipedInputStream output = new PipedInputStream(BUFFER);
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private final OutputStream input = new Input();

  AgentProcess(AgentConnection connection, DataInputStream frames) throws IOException {
    this.connection = connection;
    PipedOutputStream printed = new PipedOutputStream(output);
    Thread reader = new Thread(() -> read(frames, printed), "holdfast-vm-process");
    reader.setDaemon(true);
    reader.start();
  }

  private void read(DataInputStream frames, PipedOutputStream printed) {
    try (connection;
        printed) {
      AgentConnection.Frame frame = AgentConnection.frame(frames);
      while (!frame.isExit()) {
        if (frame.type() == 'O') {
          printed.write(frame.data());
          printed.flush();
        }
        frame = AgentConnection.frame(frames);
      }
      printed.close();
      exit.complete(frame.exitCode());
    } catch (IOException e) {
      exit.completeExceptionally(e);
    }
  }

  @Override
  public OutputStream input() {
    return input;
  }

  @Override
  public InputStream output() {
    return output;
  }

  @Override
  public CompletableFuture<Integer> exit() {
    return exit.copy();
  }

  @Override
  public void kill() {
    try {
      connection.send('K', new byte[0]);
    } catch (IOException e) {
      connection.close(); // the agent then kills the program, unless it has ended
    }
  }

  private final class Input extends OutputStream {
    private boolean closed;

    @Override
    public void write(int single) throws IOException {
      connection.send('I', new byte[] {(byte) single});
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      connection.send('I', Arrays.copyOfRange(bytes, offset, offset + length));
    }

    @Override
    public void close() throws IOException {
      if (!closed && !exit.isDone()) {
        closed = true;
        connection.send('E', new byte[0]);
      }
    }
  }
}
