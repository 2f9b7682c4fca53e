package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import java.util.List;

/** The end of a login to a session of several connections (RFC 7143, 6.3.1 and 6.3.4). */
final class MultiConnectionLogin {
  private final ConnectionExport attachment;
  private final SessionIdentity identity;
  private final MultiConnectionState texts;

  /** Creates the login of a connection that already uses its export. */
  MultiConnectionLogin(ConnectionExport attachment, SessionIdentity identity) {
    this.attachment = attachment;
    this.identity = identity;
    this.texts = identity.texts(attachment.state().orElseThrow());
  }

  /** Begins the session on its first connection and replaces an earlier session of that name. */
  void begin(SessionTerms terms, int cmdSn) {
    texts.announce(attachment, identity.cid(), identity.token());
    texts.begin(
        new SessionConnections(terms.session(), cmdSn, List.of())
            .with(identity.cid(), identity.token()));
    texts.take(terms.text());
  }

  /**
   * Adds a further connection and replaces an earlier one of that name.
   *
   * @return the terms of the session
   * @throws LoginException when the session does not exist, or has its maximum of connections
   */
  SessionTerms join(int tsih) throws LoginException {
    SessionTerms terms =
        texts
            .terms()
            .flatMap(SessionTerms::parse)
            .filter(one -> one.tsih() == tsih)
            .orElseThrow(MultiConnectionLogin::absent);
    boolean announced = false;
    while (true) {
      SessionConnections before =
          texts
              .roster()
              .filter(one -> one.session().equals(terms.session()))
              .orElseThrow(MultiConnectionLogin::absent);
      SessionConnections alive = before.without(member -> !texts.present(member));
      if (alive.members().isEmpty()) {
        texts.release(terms.text());
        throw absent();
      }
      SessionConnections next = alive.with(identity.cid(), identity.token());
      if (next.members().size() > terms.connections()) {
        throw new LoginException(
            LoginException.TOO_MANY_CONNECTIONS,
            "the session has " + terms.connections() + " connections already");
      }
      if (!announced) {
        // Announce before others see it in the roster: they would consider it ended otherwise.
        texts.announce(attachment, identity.cid(), identity.token());
        announced = true;
      }
      if (texts.replace(before, next)) {
        return terms;
      }
    }
  }

  private static LoginException absent() {
    return new LoginException(
        LoginException.NO_SESSION, "there is no session of this name that takes connections");
  }
}
