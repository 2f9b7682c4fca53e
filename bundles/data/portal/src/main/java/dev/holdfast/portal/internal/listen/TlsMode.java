package dev.holdfast.portal.internal.listen;

/** TLS setting of the administrator. */
public enum TlsMode {
  OFF,
  OFFER,
  REQUIRE
}
