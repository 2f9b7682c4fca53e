package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.iscsi.internal.login.Login;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import dev.holdfast.frontend.iscsi.internal.login.Parameters;
import dev.holdfast.frontend.iscsi.internal.pdu.Bhs;
import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.NopIn;
import dev.holdfast.frontend.iscsi.internal.pdu.NopOut;
import dev.holdfast.frontend.iscsi.internal.pdu.Reject;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TextRequest;
import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The phase after the login: commands, or discovery (RFC 7143, 4.2.5). */
final class FullFeature implements IscsiPhase {
  private static final int RECEIVE_AT_MOST = 256 << 10;
  private static final int DATA_DIGEST_ERROR = 0x02;
  private static final int PROTOCOL_ERROR = 0x04;
  private static final int UNSUPPORTED = 0x05;

  private final SessionIdentity identity;
  private final Map<String, String> agreed;
  private final Parameters parameters;
  private final PduOutput output;
  private final TextExchange texts;
  private final Optional<Commands> commands;
  private final Logout departure;
  private boolean ended;

  private FullFeature(
      FrontendConnection connection,
      IscsiContext common,
      SessionIdentity identity,
      Map<String, String> agreed,
      int statSn,
      int expCmdSn) {
    this.identity = identity;
    this.agreed = agreed;
    this.parameters = Parameters.of(agreed);
    Optional<MultiConnectionSession> joint =
        identity
            .joint()
            .map(
                terms ->
                    new MultiConnectionSession(
                        connection.export(), identity, terms, common.companions(terms)));
    CommandNumbers numbers =
        joint.isPresent() ? joint.get() : new SingleConnectionNumbers(expCmdSn);
    StatusNumbers sequence = new StatusNumbers(parameters.digests(), statSn, numbers);
    this.output = new PduOutput(connection, parameters.digests(), sequence);
    this.texts = new TextExchange(connection, identity, output, parameters.sendAtMost());
    this.commands =
        identity.discovery()
            ? Optional.empty()
            : Optional.of(new Commands(connection, common, identity, joint, output, parameters));
    this.departure = new Logout(output, identity.cid(), commands);
  }

  /** Starts after a login: joins a session, or replaces an earlier one of the same name. */
  static FullFeature begin(
      FrontendConnection connection,
      IscsiContext common,
      Login login,
      LoginRequest request,
      int tsih,
      int statSn)
      throws LoginException {
    SessionIdentity identity = SessionIdentity.of(login, request, connection.peer() + "-" + tsih);
    Map<String, String> agreed = login.agreed();
    if (identity.discovery()) {
      connection.established();
      return new FullFeature(connection, common, identity, agreed, statSn, request.cmdSn());
    }
    identity.attach(connection.export());
    Optional<SessionTerms> terms = SessionTerms.of(identity.token(), tsih, agreed);
    if (login.joins() != 0) {
      SessionTerms joined =
          new MultiConnectionLogin(connection.export(), identity).join(login.joins());
      agreed.putAll(joined.keys());
      identity = identity.with(joined);
    } else if (terms.isPresent()) {
      new MultiConnectionLogin(connection.export(), identity).begin(terms.get(), request.cmdSn());
      identity = identity.with(terms.get());
    } else {
      identity.claim(connection.export());
    }
    FullFeature phase =
        new FullFeature(connection, common, identity, agreed, statSn, request.cmdSn());
    if (login.joins() == 0 && terms.isPresent()) {
      phase.beginJoint();
    }
    return phase;
  }

  private void beginJoint() throws LoginException {
    try {
      commands.orElseThrow().begin();
    } catch (CommandException e) {
      throw new LoginException(LoginException.TARGET_ERROR, "the session cannot begin");
    }
  }

  /** Returns the numbers of the session's commands. */
  CommandNumbers numbers() {
    return output.sequence().commands();
  }

  static FullFeature resume(FrontendConnection connection, IscsiContext common, SessionState state)
      throws StorageException {
    Map<String, String> agreed = new HashMap<>();
    state
        .fields()
        .forEach(
            (name, value) -> {
              if (name.startsWith(SessionFields.AGREED)) {
                agreed.put(name.substring(SessionFields.AGREED.length()), value);
              }
            });
    SessionIdentity identity = SessionIdentity.of(state);
    if (!identity.discovery() && connection.export().attached().isEmpty()) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "the session has no export");
    }
    FullFeature phase =
        new FullFeature(
            connection,
            common,
            identity,
            agreed,
            (int) state.number(SessionFields.STAT_SN, 1),
            (int) state.number(SessionFields.CMD_SN, 1));
    phase.texts.resume(state.fields());
    phase.ended = SessionFields.ended(state);
    if (phase.commands.isPresent()) {
      phase.commands.get().resume(state.fields());
    }
    return phase;
  }

  @Override
  public Map<String, String> fields() {
    Map<String, String> fields = new HashMap<>(identity.fields());
    agreed.forEach((name, value) -> fields.put(SessionFields.AGREED + name, value));
    fields.put(SessionFields.PHASE, SessionFields.FULL);
    fields.put(SessionFields.STAT_SN, String.valueOf(output.sequence().statSn()));
    fields.put(SessionFields.CMD_SN, String.valueOf(numbers().expCmdSn()));
    fields.put(SessionFields.ENDED, String.valueOf(ended));
    fields.putAll(texts.fields());
    commands.ifPresent(present -> fields.putAll(present.fields()));
    return fields;
  }

  @Override
  public Digests digests() {
    return parameters.digests();
  }

  @Override
  public int receiveAtMost() {
    return RECEIVE_AT_MOST;
  }

  @Override
  public boolean ended() {
    return ended || commands.filter(Commands::lost).isPresent();
  }

  @Override
  public void stop(Runnable stopped) {
    commands.ifPresentOrElse(present -> present.stop(stopped), stopped);
  }

  @Override
  public IscsiPhase handle(Frame frame) {
    if (!frame.dataIntact()) {
      reject(frame, DATA_DIGEST_ERROR);
      ended = true;
    } else if (commands.isPresent() && !commands.get().current()) {
      // Another connection has taken the session's name.
      ended = true;
    } else {
      dispatch(frame);
    }
    return this;
  }

  private void dispatch(Frame frame) {
    ByteBuffer header = frame.header();
    int opcode = frame.opcode();
    boolean normal = commands.isPresent();
    if (opcode == ScsiCommand.OPCODE && normal) {
      commands.get().command(ScsiCommand.parse(header), frame.data());
    } else if (opcode == DataOut.OPCODE && normal) {
      commands.get().data(DataOut.parse(header), frame.data());
    } else if (opcode == TaskRequest.OPCODE && normal) {
      commands.get().management().manage(TaskRequest.parse(header));
    } else if (opcode == NopOut.OPCODE) {
      ping(NopOut.parse(header), frame.data());
    } else if (opcode == TextRequest.OPCODE) {
      TextRequest request = TextRequest.parse(header);
      if (output.sequence().take(request.immediate(), request.cmdSn())
          && !texts.answer(request, frame.data())) {
        reject(frame, PROTOCOL_ERROR);
      }
    } else if (opcode == LogoutRequest.OPCODE) {
      ended = departure.asked(LogoutRequest.parse(header));
    } else {
      reject(frame, UNSUPPORTED);
    }
  }

  private void ping(NopOut ping, ByteBuffer data) {
    commands.ifPresent(Commands::announce);
    boolean answered = ping.tag() != Bhs.NO_TAG;
    if (output.sequence().take(ping.immediate() || !answered, ping.cmdSn()) && answered) {
      byte[] echo = new byte[Math.min(data.remaining(), parameters.sendAtMost())];
      data.get(echo);
      output.status(new NopIn(ping.lun(), ping.tag(), Bhs.NO_TAG, 0, 0, 0), echo);
    }
  }

  private void reject(Frame frame, int reason) {
    byte[] header = new byte[Bhs.LENGTH];
    frame.header().get(header);
    output.status(new Reject(reason, 0, 0, 0), header);
  }
}
