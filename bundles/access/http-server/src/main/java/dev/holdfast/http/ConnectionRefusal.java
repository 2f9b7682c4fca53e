package dev.holdfast.http;

import java.util.Locale;

/** Reasons for which a server closes a connection that a client would keep. */
public enum ConnectionRefusal {
  /** Too many connections are open. */
  CONNECTIONS,
  /** Too many handshakes are not complete; the oldest gives way. */
  HALF_OPEN,
  /** Too many connections of one address have shown no credential; the oldest gives way. */
  WITHOUT_CREDENTIAL,
  /** The handshake failed or took too long. */
  HANDSHAKE,
  /** The head of a request took too long. */
  SLOW_HEADER,
  /** The body of a request took too long. */
  SLOW_BODY,
  /** The client did not take its answer. */
  SLOW_READER,
  /** The bytes are not HTTP, or a head is too large. */
  MALFORMED,
  /** Too many frames of HTTP/2 that carry no request. */
  FRAME_FLOOD;

  /** Returns the name as a value of a label. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
