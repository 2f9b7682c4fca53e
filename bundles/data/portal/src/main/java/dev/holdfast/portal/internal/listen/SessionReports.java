package dev.holdfast.portal.internal.listen;

import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ClientSession;
import dev.holdfast.portal.internal.session.ClientConnection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Reports to the directory of clients when the connections of a listener begin and end to use an
 * export. Thread-safe.
 */
final class SessionReports {
  private final Supplier<Optional<ClientDirectory>> directory;
  private final Map<ClientConnection, ClientSession> present = new ConcurrentHashMap<>();

  SessionReports(Supplier<Optional<ClientDirectory>> directory) {
    this.directory = directory;
  }

  /** Records the first export of a connection; a connection uses at most one. */
  void began(ClientConnection connection, ClientSession session) {
    if (present.putIfAbsent(connection, session) == null) {
      directory.get().ifPresent(known -> known.began(session));
    }
  }

  /** Does nothing for a connection that used no export. */
  void ended(ClientConnection connection) {
    ClientSession session = present.remove(connection);
    if (session != null) {
      directory.get().ifPresent(known -> known.ended(session));
    }
  }
}
