package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.iscsi.internal.login.LoginException;
import java.util.List;

/** The end of a login to a session of several connections (RFC 7143, 6.3.1 and 6.3.4). */
final class MultiConnectionLogin {
  private final ConnectionExport attachment;
  private final SessionIdentity identity;
  private final MultiConnectionState texts;

  /** For a connection that is tied to its export already. */
  MultiConnectionLogin(ConnectionExport attachment, SessionIdentity identity) {
    this.attachment = attachment;
    this.identity = identity;
    this.texts = identity.texts(attachment.state().orElseThrow());
  }

  /** The first connection: takes the place of an earlier session of that name. */
  void begin(SessionTerms terms, int cmdSn) {
    texts.announce(attachment, identity.cid(), identity.token());
    texts.begin(
        new SessionConnections(terms.session(), cmdSn, List.of())
            .with(identity.cid(), identity.token()));
    texts.take(terms.text());
  }

  /**
   * A further connection: takes the place of an earlier one of that name.
   *
   * @return what the session has agreed on
   * @throws LoginException when there is no such session, or it has connections enough
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
        // Before others see it in the roster, or they would take it for one that has ended.
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
