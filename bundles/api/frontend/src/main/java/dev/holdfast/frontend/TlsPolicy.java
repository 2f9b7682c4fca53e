package dev.holdfast.frontend;

/** TLS of a frontend's listener. */
public enum TlsPolicy {
  /** The certificate or key is missing, or the administrator turned TLS off. */
  OFF,
  /** A client may switch to TLS, or start with it. */
  OFFERED,
  /** A client must switch to TLS, or start with it, before it sees an export. */
  REQUIRED
}
