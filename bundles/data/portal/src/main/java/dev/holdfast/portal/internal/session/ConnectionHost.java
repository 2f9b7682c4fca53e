package dev.holdfast.portal.internal.session;

import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.portal.internal.transport.ListenerTls;
import java.util.Optional;

/** The listener of a connection, as the connection uses it. Thread-safe. */
public interface ConnectionHost extends ExportCatalogue {

  /** Returns the exports that the client of a connection may use, and its rights. */
  ConnectionRights rights(ClientConnection connection);

  /** Returns the TLS of the listener. */
  ListenerTls tls();

  /** Waits until a frontend is there, without using it yet. Empty when the portal closes. */
  Optional<FrontendProvider> awaitPresence() throws InterruptedException;

  /**
   * Waits until the frontend is there and lets the connection start with it. Empty when the portal
   * closes instead.
   */
  Optional<FrontendService> awaitFrontend(ClientConnection connection) throws InterruptedException;

  /** Ties a connection to an export. Empty when there is none, or when TLS is missing. */
  Optional<AttachedExport> attach(String export, ClientConnection connection);

  /** Takes note that a session can be moved that was busy before. */
  void sessionFreed();

  /** Takes note that a session threw what it should not. */
  void threw(FrontendRank by, String subject, Throwable failure);

  /** Removes a connection that has ended. */
  void ended(ClientConnection connection);
}
