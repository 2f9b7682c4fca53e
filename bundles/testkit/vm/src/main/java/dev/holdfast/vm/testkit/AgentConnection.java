package dev.holdfast.vm.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** A connection to the agent for one command. {@code agent.pl} describes the frames. */
final class AgentConnection implements AutoCloseable {
  private static final Duration BEGIN = Duration.ofMinutes(1);

  private final Socket socket;

  AgentConnection(Socket socket) {
    this.socket = socket;
  }

  /** A frame of the agent. */
  static final class Frame {
    private final char type;
    private final byte[] data;

    private Frame(char type, byte[] data) {
      this.type = type;
      this.data = data;
    }

    char type() {
      return type;
    }

    byte[] data() {
      return data;
    }

    boolean isExit() {
      return type == 'X';
    }

    int exitCode() {
      return ByteBuffer.wrap(data).getInt();
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8).strip();
  }

  ProgramResult run(ProgramCall call) throws StorageException {
    long deadline = System.nanoTime() + call.timeout().toNanos();
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    boolean truncated = false;
    try {
      DataInputStream input = new DataInputStream(socket.getInputStream());
      request(call.command());
      send('I', call.input().getBytes(StandardCharsets.UTF_8));
      send('E', new byte[0]);
      while (true) {
        Frame frame = read(input, Duration.ofNanos(deadline - System.nanoTime()));
        if (frame.isExit()) {
          return new ProgramResult(
              frame.exitCode(), text(output.toByteArray()), text(errors.toByteArray()), truncated);
        }
        requireBegun(frame, call.program());
        ByteArrayOutputStream kept = frame.type() == 'R' ? errors : output;
        int room = Math.min(frame.data().length, call.outputBytes() - kept.size());
        kept.write(frame.data(), 0, room);
        truncated |= room < frame.data().length;
      }
    } catch (SocketTimeoutException e) {
      throw new StorageException(
          ErrorCode.TIMEOUT,
          call.program() + " did not end within " + call.timeout().toSeconds() + " s",
          e);
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "virtual machine lost while it runs " + call.program(), e);
    }
  }

  private static void requireBegun(Frame frame, String program) throws StorageException {
    if (frame.type() == 'F') {
      throw new StorageException(ErrorCode.IO, program + ": " + text(frame.data()));
    }
  }

  private void request(List<String> command) throws IOException {
    DataOutputStream output =
        new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    output.writeInt(command.size());
    for (String word : command) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      output.writeInt(bytes.length);
      output.write(bytes);
    }
    output.flush();
  }

  synchronized void send(char type, byte[] data) throws IOException {
    DataOutputStream output =
        new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    output.writeByte(type);
    output.writeInt(data.length);
    output.write(data);
    output.flush();
  }

  /** Reads a frame. A timeout of at most zero has already expired. */
  private Frame read(DataInputStream input, Duration timeout) throws IOException {
    if (timeout.toMillis() < 1) {
      throw new SocketTimeoutException("no time left");
    }
    socket.setSoTimeout((int) Math.min(timeout.toMillis(), Integer.MAX_VALUE));
    return frame(input);
  }

  static Frame frame(DataInputStream input) throws IOException {
    char type = (char) input.readUnsignedByte();
    byte[] data = new byte[input.readInt()];
    input.readFully(data);
    return new Frame(type, data);
  }

  /** Starts a program with streams for the caller; its end ends the connection. */
  HostProcess start(List<String> command) throws StorageException {
    try {
      DataInputStream input = new DataInputStream(socket.getInputStream());
      request(command);
      requireBegun(read(input, BEGIN), command.get(0));
      socket.setSoTimeout(0);
      return new AgentProcess(this, input);
    } catch (IOException e) {
      close();
      throw new StorageException(ErrorCode.UNREACHABLE, "virtual machine", e);
    } catch (StorageException e) {
      close();
      throw e;
    }
  }

  /** Closes the connection; the agent then kills its command. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
