package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.ConnectionRefusal;
import java.net.InetAddress;

/** The client's connection, as its requests see it. Thread-safe. */
public interface ExchangePeer {
  /** Returns the client's address. */
  InetAddress address();

  /** Says that the client has shown a credential that is known. */
  void identified();

  /** Counts that the server gives the client up. */
  void refused(ConnectionRefusal reason);
}
