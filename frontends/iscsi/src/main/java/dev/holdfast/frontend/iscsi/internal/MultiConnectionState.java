package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ConnectionExport;
import dev.holdfast.frontend.ExportState;
import java.util.Optional;

/**
 * Shared texts by which the connections of a session find each other, independent of the serving
 * version of the bundle. Thread-safe.
 */
final class MultiConnectionState {
  private static final String ROSTER = "iscsi-roster ";
  private static final String PRESENT = "iscsi-connection ";

  private final ExportState state;
  private final String session;
  private final String roster;
  private final String present;
  private volatile Seen seen = new Seen(Optional.empty(), Optional.empty());

  private record Seen(Optional<String> text, Optional<SessionConnections> roster) {}

  /**
   * Creates access to the texts of the session of a name.
   *
   * @param nexus the initiator's port, not null
   * @param session name of the text with the owner of that name, not null
   */
  MultiConnectionState(ExportState state, String nexus, String session) {
    this.state = state;
    this.session = session;
    this.roster = ROSTER + nexus;
    this.present = PRESENT + nexus + " ";
  }

  /** Returns the terms of the session that has the name, or the token of a single connection. */
  Optional<String> terms() {
    return state.text(session);
  }

  /** Assigns the name to a session, even if another one has it. */
  void take(String terms) {
    Optional<String> before;
    do {
      before = terms();
    } while (!replace(session, before, Optional.of(terms)));
  }

  /** Ends the session, unless a new session has its name already. */
  void release(String terms) {
    if (replace(session, Optional.of(terms), Optional.empty())) {
      Optional<String> last;
      do {
        last = state.text(roster);
      } while (!replace(roster, last, Optional.empty()));
    }
  }

  Optional<SessionConnections> roster() {
    Optional<String> text = state.text(roster);
    Seen known = seen;
    if (!text.equals(known.text())) {
      known = new Seen(text, text.map(SessionConnections::parse));
      seen = known;
    }
    return known.roster();
  }

  /** Starts a session's roster, and discards that of an earlier session. */
  void begin(SessionConnections first) {
    Optional<String> before;
    do {
      before = state.text(roster);
    } while (!replace(roster, before, Optional.of(first.text())));
  }

  /** Replaces the roster if it is unchanged since the caller read it. */
  boolean replace(SessionConnections before, SessionConnections next) {
    return replace(roster, Optional.of(before.text()), Optional.of(next.text()));
  }

  /** Publishes a connection; the portal removes the entry when the connection ends. */
  void announce(ConnectionExport attachment, int cid, String token) {
    Optional<String> before;
    do {
      before = state.text(present + cid);
    } while (!attachment.share(present + cid, before, token));
  }

  /** Returns whether a connection still exists; if not, none of its requests is at the device. */
  boolean present(SessionConnections.Member member) {
    return state.text(present + member.cid()).filter(member.token()::equals).isPresent();
  }

  private boolean replace(String name, Optional<String> before, Optional<String> next) {
    try {
      return state.replace(name, before, next, false);
    } catch (StorageException e) {
      throw new IllegalStateException("a text in memory cannot be replaced: " + name, e);
    }
  }
}
