package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.ConnectionRefusal;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;

/** The client's connection, as its requests see it. Thread-safe. */
public interface ExchangePeer {
  /** Returns the client's address. */
  InetAddress address();

  /** Returns the certificates that the client showed, its own one first; empty without one. */
  List<X509Certificate> certificates();

  /** Marks the client as identified by a valid credential. */
  void identified();

  /** Counts that the server gives the client up. */
  void refused(ConnectionRefusal reason);
}
