package dev.holdfast.http.internal.connection;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;

/** Decodes requests of HTTP/1.1; rejects requests with an ambiguous length. */
final class StrictRequestDecoder extends HttpRequestDecoder {
  private static final int CHUNK = 64 << 10;

  StrictRequestDecoder(int line, int headers) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(line)
            .setMaxHeaderSize(headers)
            .setMaxChunkSize(CHUNK));
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
  }
}
