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

  /** Waits until a frontend is present, without using it yet. Empty when the portal closes. */
  Optional<FrontendProvider> awaitPresence() throws InterruptedException;

  /**
   * Waits until the frontend is present and registers the connection with it. Empty when the portal
   * closes instead.
   */
  Optional<FrontendService> awaitFrontend(ClientConnection connection) throws InterruptedException;

  /** Attaches a connection to an export. Empty when it does not exist, or when TLS is missing. */
  Optional<AttachedExport> attach(String export, ClientConnection connection);

  /** Reports that a session that was busy can be moved now. */
  void sessionFreed();

  /** Reports an unexpected exception of a session. */
  void threw(FrontendRank by, String subject, Throwable failure);

  /** Removes a connection that has ended. */
  void ended(ClientConnection connection);
}
