package dev.holdfast.http;

import java.util.Locale;

/** Reasons for which a server closes a client's connection. */
public enum ConnectionRefusal {
  /** Too many connections are open. */
  CONNECTIONS,
  /** Too many handshakes are incomplete; the oldest connection is closed. */
  HALF_OPEN,
  /** Too many connections of one address are unauthenticated; the oldest is closed. */
  WITHOUT_CREDENTIAL,
  /** The handshake failed or took too long. */
  HANDSHAKE,
  /** The head of a request took too long. */
  SLOW_HEADER,
  /** The body of a request took too long. */
  SLOW_BODY,
  /** The client did not read its answer. */
  SLOW_READER,
  /** The bytes are not HTTP, or a head is too large. */
  MALFORMED,
  /** The client sent too many HTTP/2 frames without a request. */
  FRAME_FLOOD;

  /** Returns the name as a value of a label. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
