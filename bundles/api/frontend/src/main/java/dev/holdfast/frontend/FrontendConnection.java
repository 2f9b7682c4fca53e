package dev.holdfast.frontend;

import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A client's connection, as its session uses it. {@link #export} and {@link #security} return
 * further functions of the same connection. Unless stated otherwise the methods are called on the
 * connection's thread, inside {@link FrontendProvider#open} or {@link FrontendSession#received}.
 *
 * <p>Each session has its own object. After the session was stopped or replaced by a resumed one,
 * every method throws {@code IllegalStateException}.
 */
@ProviderType
public interface FrontendConnection {

  /** Maximum size of one message: a payload of 32 MiB and its header. */
  int MAXIMUM_INPUT = (32 << 20) + 4096;

  /** Returns the client's address and port, for messages, never null. */
  String peer();

  /**
   * Returns the exports for this connection; never null.
   *
   * @since 2.0
   */
  ConnectionExport export();

  /**
   * Returns the encryption of the connection, never null.
   *
   * @since 2.0
   */
  ConnectionTls security();

  /**
   * Returns a reply to fill. Every request takes its reply first, which limits the requests in
   * flight of one client. May wait until earlier replies are sent.
   *
   * @param capacity maximum number of bytes of the reply
   * @return an empty reply of at least that capacity, never null; must be sent or discarded
   */
  Reply reply(int capacity);

  /**
   * Returns a buffer for an unsolicited message, such as an event. May be called by any thread at
   * any time; never waits for the client.
   *
   * @param capacity maximum number of bytes of the message
   * @return a buffer like that of {@link #reply}; empty if the client has reached its limit in
   *     flight, or the session does not own the connection at present
   * @since 1.3
   */
  Optional<Reply> message(int capacity);

  /**
   * Prevents the reuse of the current input buffer while a device still reads parts of it.
   *
   * @return the lease, which the caller releases once, from any thread, after the device has
   *     completed; never null
   */
  InputLease retainInput();

  /**
   * Ends the handshake and its time limit without binding the connection to an export. Intended for
   * discovery connections.
   *
   * @since 1.3
   */
  void established();

  /**
   * Ends the connection after queued output was sent; further input is not received. May be called
   * by any thread at any time; without effect if the session does not own the connection at
   * present. Idempotent.
   *
   * @since 1.3
   */
  void disconnect();

  /** Closes the connection after the current call has returned and the queued output was sent. */
  void close();
}
