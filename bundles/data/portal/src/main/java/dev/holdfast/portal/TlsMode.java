package dev.holdfast.portal;

/** TLS setting of the administrator. */
enum TlsMode {
  OFF,
  OFFER,
  REQUIRE
}
