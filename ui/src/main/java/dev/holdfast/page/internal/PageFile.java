package dev.holdfast.page.internal;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;

/** A file of the page, compressed at build. Immutable. */
final class PageFile {
  private final String contentType;
  private final boolean immutable;
  private final byte[] gzip;
  private final byte[] brotli;

  /**
   * Takes over both arrays.
   *
   * @param contentType media type
   * @param immutable whether its name contains a hash of its content, so that browsers keep it
   * @param gzip its content compressed by gzip
   * @param brotli its content compressed by Brotli
   */
  PageFile(String contentType, boolean immutable, byte[] gzip, byte[] brotli) {
    this.contentType = contentType;
    this.immutable = immutable;
    this.gzip = gzip;
    this.brotli = brotli;
  }

  String contentType() {
    return contentType;
  }

  boolean isImmutable() {
    return immutable;
  }

  byte[] gzip() {
    return gzip;
  }

  byte[] brotli() {
    return brotli;
  }

  byte[] plain() throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
      return in.readAllBytes();
    }
  }
}
