package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.iscsi.internal.login.Login;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Identity of a session.
 *
 * @param initiator name of the initiator, not null
 * @param isid the initiator's part of the session's name
 * @param target name of the target, empty in a discovery session; not null
 * @param token identifies this connection as the owner of the session, not null
 * @param cid the initiator's identifier of this connection
 * @param terms terms of a session of several connections, empty for one connection; not null
 */
record SessionIdentity(
    String initiator, long isid, String target, String token, int cid, String terms) {
  private static final String SESSION = "iscsi-session ";
  private static final int ATTEMPTS = 1000;
  private static final int ISID_DIGITS = 12;

  static SessionIdentity of(Login login, LoginRequest request, String token) {
    return new SessionIdentity(
        login.initiator(), request.isid(), login.target(), token, request.cid(), "");
  }

  SessionIdentity with(SessionTerms agreed) {
    return new SessionIdentity(initiator, isid, target, token, cid, agreed.text());
  }

  static SessionIdentity of(SessionState state) throws StorageException {
    return new SessionIdentity(
        state.text(SessionFields.INITIATOR).orElseThrow(() -> missing()),
        state.number(SessionFields.ISID, 0),
        state.text(SessionFields.TARGET).orElse(""),
        state.text(SessionFields.TOKEN).orElse(""),
        (int) state.number(SessionFields.CID, 0),
        state.text(SessionFields.TERMS).orElse(""));
  }

  private static StorageException missing() {
    return new StorageException(ErrorCode.UNSUPPORTED, "the session has no initiator");
  }

  Map<String, String> fields() {
    Map<String, String> fields = new HashMap<>();
    fields.put(SessionFields.INITIATOR, initiator);
    fields.put(SessionFields.ISID, String.valueOf(isid));
    fields.put(SessionFields.TARGET, target);
    fields.put(SessionFields.TOKEN, token);
    fields.put(SessionFields.CID, String.valueOf(cid));
    joint().ifPresent(agreed -> fields.put(SessionFields.TERMS, terms));
    return fields;
  }

  /** Returns the terms of a session of several connections. */
  Optional<SessionTerms> joint() {
    return SessionTerms.parse(terms);
  }

  /** Returns the texts by which the connections of such a session find each other. */
  MultiConnectionState texts(ExportState state) {
    return new MultiConnectionState(state, nexus(), shared());
  }

  boolean discovery() {
    return target.isEmpty();
  }

  /** Returns the initiator's port in SCSI notation. */
  String nexus() {
    return initiator + ",i,0x" + HexFormat.of().toHexDigits(isid, ISID_DIGITS);
  }

  /** Attaches the connection to the export. */
  void attach(ConnectionExport attachment) throws LoginException {
    String export = TargetNames.export(target).orElse("");
    if (attachment.attach(export).isEmpty()) {
      throw new LoginException(LoginException.NOT_FOUND, "target " + target + " is gone");
    }
  }

  /** Ends an earlier session of this name; this session has one connection. */
  void claim(ConnectionExport attachment) throws LoginException {
    ExportState state = attachment.state().orElseThrow();
    for (int i = 0; i < ATTEMPTS; i++) {
      if (attachment.share(shared(), state.text(shared()), token)) {
        return;
      }
    }
    throw new LoginException(
        LoginException.TARGET_ERROR, "other connections took the session repeatedly");
  }

  /** Returns the name of the shared text that holds the owner of the session: a token. */
  String shared() {
    return SESSION + nexus();
  }
}
