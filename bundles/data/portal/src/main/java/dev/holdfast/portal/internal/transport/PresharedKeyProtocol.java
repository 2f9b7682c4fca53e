package dev.holdfast.portal.internal.transport;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.bouncycastle.tls.ContentType;
import org.bouncycastle.tls.TlsServerProtocol;

/**
 * TLS state machine of the library that changes its sending key only as late as RFC 8446 (5.5)
 * allows. The library does so after 2^20 records, and Linux' NVMe/TCP host, until recently, loses a
 * connection whose key changes. Not thread-safe.
 */
final class PresharedKeyProtocol extends TlsServerProtocol {
  /** AES-GCM permits 2^24.5 full records under one key; this is slightly less. */
  static final long KEY_BYTES = 1L << 38;

  /** Padding to whole blocks, and the content type. */
  private static final int RECORD_OVERHEAD = 32;

  private final long keyBytes;
  private long sealed;
  private boolean updateReceived;

  PresharedKeyProtocol(long keyBytes) {
    this.keyBytes = keyBytes;
  }

  /** Encrypts data; the records are then part of the available output. */
  void seal(byte[] data, int length) throws IOException {
    int limit = getApplicationDataLimit();
    if (updateReceived || sealed >= keyBytes) {
      updateReceived = false;
      sealed = sealed >= keyBytes ? 0 : sealed;
      writeApplicationData(data, 0, length);
    } else {
      for (int at = 0; at < length; at += limit) {
        safeWriteRecord(ContentType.application_data, data, at, Math.min(limit, length - at));
      }
    }
    sealed += length + (length / limit + 1L) * RECORD_OVERHEAD;
  }

  /**
   * The client may request a key change in both directions; the library does that in its own
   * writes.
   */
  @Override
  protected void receive13KeyUpdate(ByteArrayInputStream message) throws IOException {
    super.receive13KeyUpdate(message);
    updateReceived = true;
  }
}
