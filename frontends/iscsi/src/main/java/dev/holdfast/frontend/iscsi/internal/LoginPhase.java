package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.iscsi.internal.login.Login;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import dev.holdfast.frontend.iscsi.internal.login.TextKeys;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The PDUs of a login (RFC 7143, 6.3). */
final class LoginPhase implements IscsiPhase {
  private static final Logger log = LoggerFactory.getLogger(LoginPhase.class);
  private static final int RECEIVE_AT_MOST = 8192;

  private final FrontendConnection connection;
  private final IscsiContext common;
  private final Login login;
  private final int tsih;
  private String text;
  private int statSn;
  private boolean ended;

  private LoginPhase(
      FrontendConnection connection,
      IscsiContext common,
      Map<String, String> fields,
      int tsih,
      int statSn,
      String text) {
    this.connection = connection;
    this.common = common;
    this.login =
        new Login(
            new ConnectionInitiators(connection.export(), common.secrets()),
            new ShownTargets(connection.export().exports()),
            fields);
    this.tsih = tsih;
    this.statSn = statSn;
    this.text = text;
  }

  static LoginPhase begin(FrontendConnection connection, IscsiContext common) {
    int tsih = 1 + new SecureRandom().nextInt(0xffff);
    return new LoginPhase(connection, common, Map.of(), tsih, 1, "");
  }

  static LoginPhase resume(FrontendConnection connection, IscsiContext common, SessionState state)
      throws StorageException {
    LoginPhase phase =
        new LoginPhase(
            connection,
            common,
            state.fields(),
            (int) state.number(SessionFields.TSIH, 1),
            (int) state.number(SessionFields.STAT_SN, 1),
            state.text(SessionFields.TEXT).orElse(""));
    phase.ended = SessionFields.ended(state);
    return phase;
  }

  @Override
  public Map<String, String> fields() {
    Map<String, String> fields = new HashMap<>(login.fields());
    fields.put(SessionFields.PHASE, SessionFields.LOGIN);
    fields.put(SessionFields.TSIH, String.valueOf(tsih));
    fields.put(SessionFields.STAT_SN, String.valueOf(statSn));
    fields.put(SessionFields.TEXT, text);
    fields.put(SessionFields.ENDED, String.valueOf(ended));
    return fields;
  }

  @Override
  public Digests digests() {
    return Digests.NONE;
  }

  @Override
  public int receiveAtMost() {
    return RECEIVE_AT_MOST;
  }

  @Override
  public boolean ended() {
    return ended;
  }

  @Override
  public void stop(Runnable stopped) {
    stopped.run();
  }

  @Override
  public IscsiPhase handle(Frame frame) {
    if (frame.opcode() != LoginRequest.OPCODE) {
      ended = true;
      return this;
    }
    LoginRequest request = LoginRequest.parse(frame.header());
    try {
      ByteBuffer data = frame.data();
      text += StandardCharsets.ISO_8859_1.decode(data);
      if (text.length() > TextKeys.MOST_BYTES) {
        throw new LoginException(LoginException.INITIATOR_ERROR, "the login's text is too long");
      }
      if (request.more()) {
        respond(request, false, new byte[0], 0, numbers(request));
        return this;
      }
      byte[] whole = text.getBytes(StandardCharsets.ISO_8859_1);
      text = "";
      Map<String, String> answer = login.step(request, TextKeys.read(whole));
      boolean transit = login.transits(request);
      boolean over = transit && request.next() == Login.FULL;
      FullFeature next =
          over ? FullFeature.begin(connection, common, login, request, tsih, statSn + 1) : null;
      CommandNumbers numbers = over ? next.numbers() : numbers(request);
      respond(request, transit, TextKeys.write(answer), 0, numbers);
      return over ? next : this;
    } catch (LoginException e) {
      log.warn("{}: login refused or redirected: {}", connection.peer(), e.getMessage());
      byte[] keys =
          e.address()
              .map(address -> TextKeys.write(Map.of("TargetAddress", address)))
              .orElse(new byte[0]);
      respond(request, false, keys, e.status(), numbers(request));
      ended = true;
      return this;
    }
  }

  private void respond(
      LoginRequest request, boolean transit, byte[] keys, int status, CommandNumbers numbers) {
    int session = login.joins() == 0 ? tsih : login.joins();
    LoginResponse response =
        new LoginResponse(
            transit,
            false,
            request.stage(),
            transit ? request.next() : 0,
            0,
            0,
            request.isid(),
            transit && request.next() == Login.FULL ? session : request.tsih(),
            request.tag(),
            statSn,
            0,
            0,
            status);
    StatusNumbers sequence = new StatusNumbers(Digests.NONE, statSn, numbers);
    new PduOutput(connection, Digests.NONE, sequence).status(response, keys);
    statSn = sequence.statSn();
  }

  /**
   * Returns the command numbers that apply until the login completes. The numbers of a joined
   * session are not known yet. Initiators ignore a highest number this low, and the other number
   * with it (RFC 7143, 4.2.2.1).
   */
  private static CommandNumbers numbers(LoginRequest request) {
    int unknown = CommandNumbers.WINDOW + 1;
    return new SingleConnectionNumbers(request.cmdSn(), request.tsih() == 0 ? 0 : unknown);
  }
}
