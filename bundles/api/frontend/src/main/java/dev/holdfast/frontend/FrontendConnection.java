package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A client's connection as its session sees it. Unless stated otherwise the methods are called on
 * the connection's thread, inside {@link FrontendProvider#open} or {@link
 * FrontendSession#received}.
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

  /** Returns what this connection's frontend shows, never null. */
  ExportCatalogue exports();

  /**
   * Ties this connection to an export: withdrawing the export ends the connection. Also says that
   * the handshake is over, which lifts its time limit. A connection is tied to at most one export.
   *
   * @param export name, not null
   * @return its device, or empty when there is no such export (any more)
   */
  Optional<BlockDevice> attach(String export);

  /**
   * Returns the device of the export that this connection is tied to, or empty when it is tied to
   * none. A session that resumes finds its device so.
   *
   * @since 1.2
   */
  Optional<BlockDevice> attached();

  /**
   * Returns what all connections share that are tied to this connection's export, or empty when it
   * is tied to none. The object may be used by any thread.
   *
   * @since 1.3
   */
  Optional<ExportState> state();

  /**
   * Replaces a text of the export's {@link #state} by one that goes when this connection ends,
   * unless it was replaced before; it stays while sessions follow each other.
   *
   * @param name of the text, not null
   * @param expected what the caller has seen, not null
   * @param text not null
   * @return false when the text is not what was expected, or the connection is tied to no export
   * @since 1.3
   */
  boolean share(String name, Optional<String> expected, String text);

  /**
   * Takes a reply to fill. Every request takes its reply first; that bounds how much one client can
   * have in flight. May wait until earlier replies are sent.
   *
   * @param capacity the most bytes it will hold
   * @return an empty reply of at least that capacity, never null; must be sent or discarded
   */
  Reply reply(int capacity);

  /**
   * Keeps the current input buffer, and with it every part of it that a device still reads, from
   * being used again.
   *
   * @return to be released once, by any thread, when the device has completed; never null
   */
  InputLease retainInput();

  /** Returns whether the client may, must or cannot change to TLS, never null. */
  TlsPolicy tls();

  /** Returns whether the connection is encrypted already. */
  boolean secured();

  /**
   * Returns the identity of the key that the client proved to have before the session began, where
   * the frontend is a {@link PresharedKeyFrontend} and the client began with TLS; else empty.
   *
   * @since 1.4
   */
  default Optional<String> provenIdentity() {
    return Optional.empty();
  }

  /**
   * Changes to TLS as soon as the current call has returned: replies sent before go out in clear,
   * everything after is encrypted. The client must wait for the reply; input that it sent already
   * closes the connection.
   *
   * @throws IllegalStateException when TLS is off or the connection is secured already
   */
  void startTls();

  /**
   * Says that the handshake is over without tying the connection to an export, which lifts its time
   * limit: for connections that only discover.
   *
   * @since 1.3
   */
  void established();

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
