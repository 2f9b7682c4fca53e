package dev.holdfast.portal.internal.listen;

/** TLS mode that the administrator sets. */
public enum TlsMode {
  OFF,
  OFFER,
  REQUIRE
}
