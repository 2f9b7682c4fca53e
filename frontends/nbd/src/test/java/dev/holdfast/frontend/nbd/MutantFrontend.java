package dev.holdfast.frontend.nbd;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.ConnectionTls;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.frontend.testkit.FrontendVersion;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** NBD with a planted fault in the hand-over between sessions. */
final class MutantFrontend extends FrontendVersion {
  /** Without a fault: shows that the wrapper alone is not detected. */
  static final Optional<Mistake> NONE = Optional.empty();

  private static final String REPEATED = "repeated";

  private final Optional<Mistake> mistake;

  /** Faults of the first call of a resumed session. */
  enum Mistake {
    DROPS_A_BYTE,
    REPEATS_A_REQUEST,
    LOSES_A_REPLY
  }

  MutantFrontend(Mistake mistake) {
    this(Optional.of(mistake));
  }

  MutantFrontend(Optional<Mistake> mistake) {
    super(new NbdFrontend());
    this.mistake = mistake;
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    MutantConnection wrapped = new MutantConnection(connection);
    return new MutantSession((ReplaceableSession) super.open(wrapped), wrapped, false, "");
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    MutantConnection wrapped = new MutantConnection(connection);
    return new MutantSession(
        (ReplaceableSession) super.resume(wrapped, state),
        wrapped,
        state.text("phase").orElseThrow().equals("transmission"),
        state.text(REPEATED).orElse(""));
  }

  private final class MutantSession implements ReplaceableSession {
    private final ReplaceableSession session;
    private final MutantConnection connection;
    private boolean wrong;
    private String last;

    MutantSession(
        ReplaceableSession session, MutantConnection connection, boolean wrong, String last) {
      this.session = session;
      this.connection = connection;
      this.wrong = wrong;
      this.last = last;
    }

    @Override
    public int received(ByteBuffer input) {
      if (wrong && mistake.isPresent()) {
        wrong = false;
        mistake(input, mistake.get());
      }
      ByteBuffer before = input.duplicate();
      int needed = session.received(input);
      byte[] consumed = new byte[input.position() - before.position()];
      before.get(consumed);
      if (consumed.length > 0) {
        last = HexFormat.of().formatHex(consumed);
      }
      return needed;
    }

    private void mistake(ByteBuffer input, Mistake mistake) {
      switch (mistake) {
        case DROPS_A_BYTE -> input.get();
        case REPEATS_A_REQUEST -> {
          byte[] repeated = HexFormat.of().parseHex(last);
          int unused =
              session.received(ByteBuffer.allocateDirect(repeated.length).put(repeated).flip());
        }
        case LOSES_A_REPLY -> connection.lose = true;
      }
    }

    @Override
    public void stop(Runnable stopped) {
      session.stop(stopped);
    }

    @Override
    public SessionState state() {
      SessionState state = session.state();
      Map<String, String> fields = new HashMap<>(state.fields());
      fields.put(REPEATED, last);
      return new SessionState(state.format(), state.version(), state.readableBy(), fields);
    }
  }

  private static final class MutantConnection implements FrontendConnection {
    private final FrontendConnection connection;
    private boolean lose;

    MutantConnection(FrontendConnection connection) {
      this.connection = connection;
    }

    @Override
    public Reply reply(int capacity) {
      Reply reply = connection.reply(capacity);
      boolean lost = lose;
      lose = false;
      return lost ? new LostReply(reply) : reply;
    }

    @Override
    public String peer() {
      return connection.peer();
    }

    @Override
    public ConnectionExport export() {
      return connection.export();
    }

    @Override
    public ConnectionTls security() {
      return connection.security();
    }

    @Override
    public InputLease retainInput() {
      return connection.retainInput();
    }

    @Override
    public void established() {
      connection.established();
    }

    @Override
    public Optional<Reply> message(int capacity) {
      return connection.message(capacity);
    }

    @Override
    public void disconnect() {
      connection.disconnect();
    }

    @Override
    public void close() {
      connection.close();
    }
  }

  private record LostReply(Reply reply) implements Reply {
    @Override
    public ByteBuffer buffer() {
      return reply.buffer();
    }

    @Override
    public void send() {
      reply.discard();
    }

    @Override
    public void discard() {
      reply.discard();
    }
  }
}
