package dev.holdfast.page.internal;

import dev.holdfast.access.BrowserSessions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.function.Function;

/** Admits requests of signed-in browsers to the API. Thread-safe. */
final class PageSessions implements BrowserSessions {
  private final SessionTable sessions;

  PageSessions(SessionTable sessions) {
    this.sessions = sessions;
  }

  @Override
  public Optional<String> credentialOf(
      String method, boolean changes, Function<String, Optional<String>> headers)
      throws StorageException {
    BrowserRequest request = new BrowserRequest(method, headers);
    Optional<Session> session = request.secret().flatMap(sessions::use);
    if (session.isEmpty()) {
      return Optional.empty();
    }
    if (!request.isRead()) {
      requireOfThePage(request);
    }
    if (changes && session.get().readOnly()) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "this session only reads: sign in with the address of 'holdfast page'");
    }
    return session.map(Session::credential);
  }

  private static void requireOfThePage(BrowserRequest request) throws StorageException {
    if (!request.isOfThePage()) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "a write of a signed-in browser needs the header X-Holdfast-Page and an Origin that"
              + " equals this server: use the page");
    }
  }
}
