package dev.holdfast.frontend.testkit;

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
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection without a socket, for tests with scripted or random input: feeds a session and
 * checks the rules of the portal. A violation is an {@link AssertionError}. It supports neither
 * TLS, nor export state, nor unsolicited messages; tests that need these override the methods. One
 * thread feeds the session; any thread may send replies.
 */
public class ScriptedConnection
    implements FrontendConnection, ConnectionExport, ConnectionTls, ExportCatalogue {
  private final String export;
  private final BlockDevice device;
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicLong sent = new AtomicLong();
  private volatile boolean closed;
  private Optional<BlockDevice> attached = Optional.empty();

  /**
   * Creates a connection to a portal with one export.
   *
   * @param export the name of the export, not null
   * @param device the content of the export, not null
   */
  public ScriptedConnection(String export, BlockDevice device) {
    this.export = export;
    this.device = device;
  }

  /**
   * Feeds a stream in pieces like a socket, until it ends or the session closes, and stops the
   * session.
   *
   * @param session that receives the stream, not null
   * @param stream data of the client, not null
   * @param piece size of the pieces, at least 1
   * @return number of unconsumed bytes at the end of the stream
   */
  public int feed(FrontendSession session, byte[] stream, int piece) {
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

  /**
   * Passes bytes to a session, which must consume them, and leaves it open.
   *
   * @param session that receives the bytes, not null
   * @param bytes data of the client, not null
   */
  public void offer(FrontendSession session, byte[] bytes) {
    ByteBuffer input = ByteBuffer.wrap(bytes);
    int needed = session.received(input);
    check(!input.hasRemaining(), "the session wants " + needed + " bytes more");
  }

  /** Returns whether the session has closed the connection. */
  public boolean closed() {
    return closed;
  }

  /** Returns the number of sent reply bytes. */
  public long sent() {
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
    return Optional.empty();
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
    return Optional.empty();
  }

  @Override
  public boolean share(String name, Optional<String> expected, String text) {
    throw new AssertionError("only exports share state");
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
    throw new AssertionError("a session that attaches is established by that");
  }

  @Override
  public Optional<Reply> message(int capacity) {
    throw new AssertionError("a message that is not a reply");
  }

  @Override
  public void disconnect() {
    throw new AssertionError("the session closes instead");
  }

  @Override
  public void close() {
    closed = true;
  }

  /**
   * Fails unless a condition holds.
   *
   * @param condition the required condition
   * @param complaint the message of the failure, not null
   */
  protected static void check(boolean condition, String complaint) {
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
