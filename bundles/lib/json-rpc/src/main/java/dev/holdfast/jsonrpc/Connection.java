package dev.holdfast.jsonrpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Socket and thread of a client. Other threads only add calls, remove them, and request the end.
 * The connection's thread does all other work and never waits longer than until the next deadline.
 */
final class Connection {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
  private static final int INPUT_BYTES = 65_536;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final String name;
  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final MessageFormat format;
  private final MessageSplitter splitter;
  private final AtomicLong lastId;
  private final Consumer<JsonRpcNotification> listener;
  private final Map<Long, PendingCall> pending = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<PendingCall> unsent = new ConcurrentLinkedQueue<>();
  private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES);
  private volatile boolean closing;
  private volatile boolean ended;

  /** The request that was partly written to the socket. */
  private PendingCall sending;

  private Connection(
      String name,
      SocketChannel channel,
      Selector selector,
      JsonRpcLimits limits,
      MessageFormat format,
      AtomicLong lastId,
      Consumer<JsonRpcNotification> listener)
      throws IOException {
    this.name = name;
    this.channel = channel;
    this.selector = selector;
    this.key = channel.register(selector, SelectionKey.OP_READ);
    this.format = format;
    this.splitter = new MessageSplitter(limits);
    this.lastId = lastId;
    this.listener = listener;
  }

  /**
   * Starts the thread of a connected socket, which this object owns from then on.
   *
   * @param lastId the highest number that a call had so far
   */
  static Connection start(
      String name,
      SocketChannel channel,
      JsonRpcLimits limits,
      MessageFormat format,
      AtomicLong lastId,
      Consumer<JsonRpcNotification> listener)
      throws IOException {
    Selector selector = null;
    try {
      selector = Selector.open();
      Connection connection =
          new Connection(name, channel, selector, limits, format, lastId, listener);
      Thread thread = new Thread(connection::run, "json-rpc " + name);
      thread.setDaemon(true);
      thread.start();
      return connection;
    } catch (IOException e) {
      channel.close();
      if (selector != null) {
        selector.close();
      }
      throw e;
    }
  }

  void submit(long id, PendingCall call) {
    pending.put(id, call);
    unsent.add(call);
    if (ended) {
      call.lost("it was closed", null);
    } else {
      selector.wakeup();
    }
  }

  /** Removes a call that is complete, and its request if no byte of it was sent. */
  void forget(long id, PendingCall call) {
    pending.remove(id);
    unsent.remove(call);
  }

  boolean isOpen() {
    return !ended && !closing;
  }

  void close() {
    closing = true;
    selector.wakeup();
  }

  private void run() {
    String reason = "it was closed";
    Throwable cause = null;
    try {
      while (!closing) {
        expire();
        write();
        selector.select(millisToNextDeadline());
        selector.selectedKeys().clear();
        read();
      }
    } catch (IOException | RuntimeException e) {
      reason = e.getMessage() == null ? e.toString() : e.getMessage();
      cause = e;
    } finally {
      end(reason, cause);
    }
  }

  private void end(String reason, Throwable cause) {
    ended = true;
    try (selector;
        channel) {
      LOG.debug("{}: connection ended: {}", name, reason, cause);
    } catch (IOException e) {
      LOG.debug("{}: could not close the connection", name, e);
    }
    for (PendingCall call : List.copyOf(pending.values())) {
      call.lost(reason, cause);
    }
  }

  private void expire() {
    for (PendingCall call : List.copyOf(pending.values())) {
      if (call.nanosLeft() <= 0) {
        call.timedOut();
      }
    }
  }

  /** Zero waits without limit, as in {@link Selector#select(long)}. */
  private long millisToNextDeadline() {
    return pending.values().stream().mapToLong(PendingCall::nanosLeft).min().stream()
        .map(left -> Math.max(1, left / NANOS_PER_MILLI + 1))
        .findFirst()
        .orElse(0);
  }

  private void write() throws IOException {
    while (sending != null || !unsent.isEmpty()) {
      if (sending == null) {
        sending = unsent.poll();
        continue; // it may have been removed
      }
      channel.write(sending.request());
      if (sending.request().hasRemaining()) {
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        return;
      }
      sending = null;
    }
    key.interestOps(SelectionKey.OP_READ);
  }

  /** One read per turn, so that an endless stream from the peer does not delay deadlines. */
  private void read() throws IOException {
    int count = channel.read(input.clear());
    if (count < 0) {
      throw new EOFException(
          splitter.isBetweenMessages()
              ? "the peer closed it"
              : "the peer closed it within a message");
    }
    List<byte[]> complete = new ArrayList<>();
    splitter.accept(input.flip(), complete::add);
    for (byte[] bytes : complete) {
      receive(format.message(bytes));
    }
  }

  private void receive(JsonNode message) throws MessageException {
    if (message.has("method")) {
      notified(message);
      return;
    }
    long id = MessageFormat.id(message);
    MessageFormat.requireOutcome(message);
    if (id < 1 || id > lastId.get()) {
      throw new MessageException("an answer has the id " + id + ", which no call has");
    }
    PendingCall call = pending.remove(id);
    if (call != null) {
      call.answered(message);
    }
  }

  private void notified(JsonNode message) throws MessageException {
    if (message.has("id")) {
      throw new MessageException("the peer sent a call, and this side has no methods");
    }
    if (!message.path("method").isTextual()) {
      throw new MessageException("a notification must have a text as method");
    }
    listener.accept(
        new JsonRpcNotification(message.path("method").textValue(), message.path("params")));
  }
}
