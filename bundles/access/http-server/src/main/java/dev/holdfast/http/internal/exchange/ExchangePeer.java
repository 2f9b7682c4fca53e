package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.ConnectionRefusal;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;

/** The client's connection in the view of its requests. Thread-safe. */
public interface ExchangePeer {
  /** Returns the client's address. */
  InetAddress address();

  /** Returns the client's certificates, its own first; empty without one. */
  List<X509Certificate> certificates();

  /** Marks the client as identified by a valid credential. */
  void identified();

  /** Counts the refusal of the client. */
  void refused(ConnectionRefusal reason);
}
