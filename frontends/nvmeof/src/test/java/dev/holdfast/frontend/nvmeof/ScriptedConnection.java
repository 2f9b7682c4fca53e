package dev.holdfast.frontend.nvmeof;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.ConnectionTls;
import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.TlsPolicy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A connection without a socket: feeds a session and checks what the portal relies on. */
final class ScriptedConnection
    implements FrontendConnection, ConnectionExport, ConnectionTls, ExportCatalogue {
  private final String export;
  private final BlockDevice device;
  private final ExportState state;
  private volatile boolean closed;
  private Optional<BlockDevice> attached = Optional.empty();
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicLong sent = new AtomicLong();

  ScriptedConnection(String export, BlockDevice device, ExportState state) {
    this.export = export;
    this.device = device;
    this.state = state;
  }

  /** State that the connections of an export share. */
  static final class Texts implements ExportState {
    // Streams know the first controller as number 1; a volume that is shown anew has any.
    private final Map<String, Optional<String>> texts =
        new ConcurrentHashMap<>(Map.of("nvme-controller", Optional.of("0")));
    private final Lock lock = new ReentrantLock();

    @Override
    public Optional<String> text(String name) {
      return texts.getOrDefault(name, Optional.empty());
    }

    @Override
    public synchronized boolean replace(
        String name, Optional<String> expected, Optional<String> next, boolean durable) {
      boolean same = text(name).equals(expected);
      if (same) {
        texts.put(name, next);
      }
      return same;
    }

    @Override
    public Lock lock() {
      return lock;
    }
  }

  /**
   * Feeds a stream in pieces, the way a socket would, until it ends or the session closes. Returns
   * how many bytes at its end were not consumed.
   */
  int feed(FrontendSession session, byte[] stream, int piece) {
    ByteBuffer input = ByteBuffer.allocate(stream.length);
    int consumed = 0;
    int needed = 0;
    for (int end = 0; end < stream.length && !closed; ) {
      end = Math.min(stream.length, end + piece);
      input.clear().put(stream, consumed, end - consumed).flip();
      if (input.remaining() >= needed || end == stream.length) {
        int before = input.remaining();
        needed = session.received(input);
        check(input.remaining() <= before, "the session gave bytes back");
        check(needed <= MAXIMUM_INPUT, "the session wants " + needed + " bytes");
        check(taken.get() == 0, "a reply was neither sent nor discarded");
        consumed = end - input.remaining();
      }
    }
    Runnable stopped = () -> check(taken.get() == 0, "the session stopped with replies taken");
    session.stop(stopped);
    return stream.length - consumed;
  }

  /** Gives a session bytes that it must consume, and leaves it open. */
  void offer(FrontendSession session, byte[] bytes) {
    ByteBuffer input = ByteBuffer.wrap(bytes);
    int needed = session.received(input);
    check(!input.hasRemaining(), "the session wants " + needed + " bytes more");
  }

  boolean closed() {
    return closed;
  }

  long sent() {
    return sent.get();
  }

  @Override
  public List<String> names() {
    return List.of(export);
  }

  @Override
  public Optional<BlockDevice> find(String name) {
    return name.equals(export) ? Optional.of(device) : Optional.empty();
  }

  @Override
  public Optional<URI> endpoint(String name) {
    return find(name).map(found -> URI.create("nvme://127.0.0.1:4420/" + name));
  }

  @Override
  public String peer() {
    return "script";
  }

  @Override
  public ConnectionExport export() {
    return this;
  }

  @Override
  public ConnectionTls security() {
    return this;
  }

  @Override
  public ExportCatalogue exports() {
    return this;
  }

  @Override
  public Optional<BlockDevice> attach(String name) {
    attached = find(name);
    return attached;
  }

  @Override
  public Optional<BlockDevice> attached() {
    return attached;
  }

  @Override
  public Optional<ExportState> state() {
    return attached.map(found -> state);
  }

  @Override
  public boolean share(String name, Optional<String> expected, String text) {
    throw new AssertionError("NVMe shares only what is an export's");
  }

  @Override
  public Reply reply(int capacity) {
    check(capacity <= MAXIMUM_INPUT, "a reply of " + capacity + " bytes");
    int unused = taken.incrementAndGet();
    return new ScriptedReply(ByteBuffer.allocate(capacity));
  }

  @Override
  public InputLease retainInput() {
    throw new AssertionError("the device completes at once");
  }

  @Override
  public TlsPolicy tls() {
    return TlsPolicy.OFF;
  }

  @Override
  public boolean secured() {
    return false;
  }

  @Override
  public Optional<String> provenIdentity() {
    return Optional.empty();
  }

  @Override
  public void startTls() {
    throw new AssertionError("TLS cannot be started");
  }

  @Override
  public void established() {
    // There is no time limit here.
  }

  @Override
  public Optional<Reply> message(int capacity) {
    return closed ? Optional.empty() : Optional.of(reply(capacity));
  }

  @Override
  public void disconnect() {
    closed = true;
  }

  @Override
  public void close() {
    closed = true;
  }

  private static void check(boolean condition, String complaint) {
    if (!condition) {
      throw new AssertionError(complaint);
    }
  }

  private final class ScriptedReply implements Reply {
    private final ByteBuffer buffer;

    ScriptedReply(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public ByteBuffer buffer() {
      return buffer;
    }

    @Override
    public void send() {
      int unused = taken.decrementAndGet();
      sent.addAndGet(buffer.position());
    }

    @Override
    public void discard() {
      int unused = taken.decrementAndGet();
    }
  }
}
