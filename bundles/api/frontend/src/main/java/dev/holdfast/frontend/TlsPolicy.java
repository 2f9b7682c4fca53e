package dev.holdfast.frontend;

/** TLS of a frontend's listener. */
public enum TlsPolicy {
  /** There is no certificate or key, or the administrator turned it off. */
  OFF,
  /** A client may change to TLS, or begin with it. */
  OFFERED,
  /** A client must change to TLS, or begin with it, before it sees an export. */
  REQUIRED
}
