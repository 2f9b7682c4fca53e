package dev.holdfast.engine.example.outside.internal.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A connection to the control socket of a storage daemon (QEMU Machine Protocol). A daemon serves
 * one at a time. For one thread.
 */
public final class Qmp implements AutoCloseable {
  private static final Duration ANSWER = Duration.ofSeconds(20);
  private static final Duration GREETING = Duration.ofSeconds(2);
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private final String subject;
  private final String remedy;
  private final SocketChannel channel;
  private final Selector selector;
  private final StringBuilder received = new StringBuilder();
  private final List<JsonNode> events = new ArrayList<>();

  private Qmp(String subject, String remedy, SocketChannel channel, Selector selector) {
    this.subject = subject;
    this.remedy = remedy;
    this.channel = channel;
    this.selector = selector;
  }

  /**
   * Connects.
   *
   * @param socket of the daemon
   * @param subject begins messages, for example {@code volume v1}
   * @param remedy ends messages
   * @throws IOException when nothing listens there
   * @throws StorageException TIMEOUT when the daemon does not answer; IO
   */
  public static Qmp connect(Path socket, String subject, String remedy)
      throws IOException, StorageException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    Selector selector = null;
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.configureBlocking(false);
      selector = Selector.open();
      channel.register(selector, SelectionKey.OP_READ);
      Qmp qmp = new Qmp(subject, remedy, channel, selector);
      qmp.next("the connection", deadline(GREETING));
      qmp.call("qmp_capabilities", arguments(), GREETING);
      return qmp;
    } catch (IOException | StorageException e) {
      channel.close();
      if (selector != null) {
        selector.close();
      }
      throw e;
    }
  }

  /** Returns arguments to be filled. */
  public static ObjectNode arguments() {
    return JSON.createObjectNode();
  }

  private static long deadline(Duration patience) {
    return System.nanoTime() + patience.toNanos();
  }

  /**
   * Runs a command.
   *
   * @return what the daemon returned
   * @throws StorageException IO with the reason when the daemon refuses it; TIMEOUT
   */
  public JsonNode call(String command, ObjectNode arguments) throws StorageException {
    return call(command, arguments, ANSWER);
  }

  private JsonNode call(String command, ObjectNode arguments, Duration patience)
      throws StorageException {
    ObjectNode request = JSON.createObjectNode().put("execute", command);
    request.set("arguments", arguments);
    try {
      ByteBuffer bytes = ByteBuffer.wrap((request + "\n").getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes); // commands are far smaller than the socket's buffer
      }
    } catch (IOException e) {
      throw lost(command, e);
    }
    long deadline = deadline(patience);
    while (true) {
      JsonNode answer = next(command, deadline);
      if (answer.has("event")) {
        events.add(answer);
      } else if (answer.has("error")) {
        throw new StorageException(
            ErrorCode.IO,
            subject
                + ": qemu-storage-daemon refused "
                + command
                + ": "
                + answer.path("error").path("desc").asText()
                + ": "
                + remedy);
      } else {
        return answer.path("return");
      }
    }
  }

  /**
   * Waits for an event that came since this connection was made, and takes it.
   *
   * @param name of the event
   * @param wanted condition on its data
   * @return whether it came in time
   */
  public boolean await(String name, Predicate<JsonNode> wanted, Duration patience)
      throws StorageException {
    long deadline = deadline(patience);
    while (true) {
      for (JsonNode event : events) {
        if (event.path("event").asText().equals(name) && wanted.test(event.path("data"))) {
          events.remove(event);
          return true;
        }
      }
      try {
        events.add(next(name, deadline));
      } catch (StorageException e) {
        if (e.code() == ErrorCode.TIMEOUT) {
          return false;
        }
        throw e;
      }
    }
  }

  private JsonNode next(String purpose, long deadline) throws StorageException {
    try {
      int end = received.indexOf("\n");
      while (end < 0) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0 || selector.select(left) == 0) {
          throw new StorageException(
              ErrorCode.TIMEOUT,
              subject + ": qemu-storage-daemon does not answer to " + purpose + ": " + remedy);
        }
        selector.selectedKeys().clear();
        read();
        end = received.indexOf("\n");
      }
      String line = received.substring(0, end);
      received.delete(0, end + 1);
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.IO, subject + ": answer is not JSON: " + remedy, e);
    } catch (IOException e) {
      throw lost(purpose, e);
    }
  }

  /** The daemon escapes what is not ASCII. */
  private void read() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(16_384);
    if (channel.read(bytes) < 0) {
      throw new EOFException("it closed its control socket");
    }
    received.append(StandardCharsets.UTF_8.decode(bytes.flip()));
  }

  private StorageException lost(String purpose, IOException cause) {
    return new StorageException(
        ErrorCode.IO,
        subject
            + ": qemu-storage-daemon ended during "
            + purpose
            + ": "
            + cause.getMessage()
            + ": "
            + remedy,
        cause);
  }

  @Override
  public void close() throws StorageException {
    try (channel) {
      selector.close();
    } catch (IOException e) {
      throw StorageException.io(subject + ": control socket", e);
    }
  }
}
