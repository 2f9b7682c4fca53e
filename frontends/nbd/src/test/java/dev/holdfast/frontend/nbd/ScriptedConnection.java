package dev.holdfast.frontend.nbd;

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

/** A connection without a socket: feeds a session and checks what the portal relies on. */
final class ScriptedConnection
    implements FrontendConnection, ConnectionExport, ConnectionTls, ExportCatalogue {
  private static final int LARGEST_REPLY = (32 << 20) + 4096;

  private final String export;
  private final BlockDevice device;
  private final TlsPolicy tls;
  private boolean closed;
  private boolean secured;
  private Optional<BlockDevice> attached = Optional.empty();
  private int taken;
  private long sent;

  ScriptedConnection(String export, BlockDevice device, TlsPolicy tls) {
    this.export = export;
    this.device = device;
    this.tls = tls;
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
        check(taken == 0, "a reply was neither sent nor discarded");
        consumed = end - input.remaining();
      }
    }
    Runnable unexpected = () -> check(taken == 0, "the session stopped with replies taken");
    session.stop(unexpected);
    return stream.length - consumed;
  }

  boolean closed() {
    return closed;
  }

  long sent() {
    return sent;
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
  public Reply reply(int capacity) {
    check(capacity <= LARGEST_REPLY, "a reply of " + capacity + " bytes");
    taken++;
    return new ScriptedReply(ByteBuffer.allocate(capacity));
  }

  @Override
  public InputLease retainInput() {
    throw new AssertionError("the device completes at once");
  }

  @Override
  public Optional<ExportState> state() {
    return Optional.empty();
  }

  @Override
  public boolean share(String name, Optional<String> expected, String text) {
    return false;
  }

  @Override
  public TlsPolicy tls() {
    return tls;
  }

  @Override
  public boolean secured() {
    return secured;
  }

  @Override
  public Optional<String> provenIdentity() {
    return Optional.empty();
  }

  @Override
  public void startTls() {
    check(!secured && tls != TlsPolicy.OFF, "TLS cannot be started");
    secured = true;
  }

  @Override
  public void established() {
    throw new AssertionError("NBD attaches");
  }

  @Override
  public Optional<Reply> message(int capacity) {
    throw new AssertionError("NBD sends nothing unasked");
  }

  @Override
  public void disconnect() {
    throw new AssertionError("NBD closes");
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
      sent += buffer.position();
    }

    @Override
    public void discard() {
      taken--;
    }
  }
}
