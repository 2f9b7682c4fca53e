package dev.holdfast.frontend.iscsi;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A connection without a socket: plays a stream to a session and counts what it leaves undone. */
final class ScriptedConnection
    implements FrontendConnection, ConnectionExport, ConnectionTls, ExportCatalogue, ExportState {
  private static final String EXPORT = "fuzzed";
  private static final int LARGEST_REPLY = (32 << 20) + 4096;

  private final BlockDevice device;
  private final Map<String, Optional<String>> texts = new HashMap<>();
  private final Lock lock = new ReentrantLock();
  private boolean attached;
  private boolean closed;
  private int taken;
  private int sent;

  ScriptedConnection(BlockDevice device) {
    this.device = device;
  }

  /** Feeds a stream in pieces, the way a socket would, until it ends or the session closes. */
  void feed(FrontendSession session, byte[] stream, int piece) {
    ByteBuffer input = ByteBuffer.allocate(stream.length);
    int consumed = 0;
    int needed = 0;
    for (int end = 0; end < stream.length && !closed; ) {
      end = Math.min(stream.length, end + piece);
      input.clear().put(stream, consumed, end - consumed).flip();
      if (input.remaining() >= needed || end == stream.length) {
        needed = session.received(input);
        check(needed <= MAXIMUM_INPUT, "the session wants " + needed + " bytes");
        check(taken == 0, "a reply was neither sent nor discarded");
        consumed = end - input.remaining();
      }
    }
    session.stop(() -> check(taken == 0, "the session stopped with replies taken"));
  }

  int sent() {
    return sent;
  }

  @Override
  public List<String> names() {
    return List.of(EXPORT);
  }

  @Override
  public Optional<BlockDevice> find(String export) {
    return export.equals(EXPORT) ? Optional.of(device) : Optional.empty();
  }

  @Override
  public Optional<URI> endpoint(String export) {
    return Optional.of(URI.create("iscsi://127.0.0.1:3260/" + export));
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
  public Optional<BlockDevice> attach(String export) {
    attached = find(export).isPresent();
    return attached();
  }

  @Override
  public Optional<BlockDevice> attached() {
    return attached ? Optional.of(device) : Optional.empty();
  }

  @Override
  public Optional<ExportState> state() {
    return attached ? Optional.of(this) : Optional.empty();
  }

  @Override
  public boolean share(String name, Optional<String> expected, String text) {
    return replace(name, expected, Optional.of(text), false);
  }

  @Override
  public Optional<String> text(String name) {
    return texts.getOrDefault(name, Optional.empty());
  }

  @Override
  public boolean replace(
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

  @Override
  public Reply reply(int capacity) {
    check(capacity <= LARGEST_REPLY, "a reply of " + capacity + " bytes");
    taken++;
    return new ScriptedReply(ByteBuffer.allocate(capacity));
  }

  @Override
  public Optional<Reply> message(int capacity) {
    return Optional.of(reply(capacity));
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
    throw new AssertionError("iSCSI has no TLS");
  }

  @Override
  public void established() {
    // There is no time limit here.
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
      taken--;
      sent++;
    }

    @Override
    public void discard() {
      taken--;
    }
  }
}
