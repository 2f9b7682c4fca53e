package dev.holdfast.backuptarget.s3.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Reads the range of an object that was asked for into a buffer, and nothing beyond it. Returns
 * what is wrong with the answer, empty if nothing is.
 */
final class RangeReader implements ResponseTransformer<GetObjectResponse, String> {
  private static final int CHUNK = 64 << 10;

  private final long offset;
  private final ByteBuffer target;
  private final int start;

  RangeReader(long offset, ByteBuffer target) {
    this.offset = offset;
    this.target = target;
    this.start = target.position();
  }

  @Override
  public String transform(GetObjectResponse response, AbortableInputStream content)
      throws IOException {
    String range = response.contentRange();
    if (range == null ? offset > 0 : !range.startsWith("bytes " + offset + "-")) {
      content.abort();
      return "the server answers with another range than was asked for";
    }
    // A retry starts from the beginning.
    target.position(start);
    byte[] chunk = new byte[Math.min(CHUNK, target.remaining())];
    while (target.hasRemaining()) {
      int count = content.read(chunk, 0, Math.min(chunk.length, target.remaining()));
      if (count < 0) {
        return "ends before byte " + (offset + target.limit() - start);
      }
      target.put(chunk, 0, count);
    }
    if (content.read() >= 0) {
      content.abort();
    }
    return "";
  }
}
