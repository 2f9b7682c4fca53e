package dev.holdfast.frontend;

/** What a frontend's listener does about TLS. */
public enum TlsPolicy {
  /** There is no certificate, or the administrator turned it off. */
  OFF,
  /** A client may change to TLS. */
  OFFERED,
  /** A client must change to TLS before it sees an export. */
  REQUIRED
}
