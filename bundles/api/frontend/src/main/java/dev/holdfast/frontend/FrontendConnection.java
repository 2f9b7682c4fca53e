package dev.holdfast.frontend;

import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A client's connection as its session sees it. {@link #export} and {@link #security} are two
 * further sides of the same connection. Unless stated otherwise the methods are called on the
 * connection's thread, inside {@link FrontendProvider#open} or {@link FrontendSession#received}.
 *
 * <p>Each session has an object of its own. Once the session is stopped or another one was resumed
 * in its place, every method throws {@code IllegalStateException}.
 */
@ProviderType
public interface FrontendConnection {

  /** The most bytes that one message may need: a payload of 32 MiB and its header. */
  int MAXIMUM_INPUT = (32 << 20) + 4096;

  /** Returns the client's address and port, for messages, never null. */
  String peer();

  /**
   * Returns the exports that the client may choose from, and the one that the connection is tied
   * to; never null.
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
   * Takes a reply to fill. Every request takes its reply first; that bounds how much one client can
   * have in flight. May wait until earlier replies are sent.
   *
   * @param capacity the most bytes it will hold
   * @return an empty reply of at least that capacity, never null; must be sent or discarded
   */
  Reply reply(int capacity);

  /**
   * Takes something to send that no input asked for, such as an event. May be called by any thread
   * at any time; never waits for the client.
   *
   * @param capacity the most bytes it will hold
   * @return as {@link #reply} gives it, or empty when the client has too much in flight or the
   *     session does not have the connection (not yet, or not any more)
   * @since 1.3
   */
  Optional<Reply> message(int capacity);

  /**
   * Keeps the current input buffer, and with it every part of it that a device still reads, from
   * being used again.
   *
   * @return to be released once, by any thread, when the device has completed; never null
   */
  InputLease retainInput();

  /**
   * Ends the handshake without tying the connection to an export, which lifts its time limit: for
   * connections that only discover.
   *
   * @since 1.3
   */
  void established();

  /**
   * Ends the connection: nothing more is received, and what was sent before goes out. May be called
   * by any thread at any time; without effect when the session does not have the connection (not
   * yet, or not any more). Idempotent.
   *
   * @since 1.3
   */
  void disconnect();

  /** Closes the connection once the current call has returned and what was sent is out. */
  void close();
}
