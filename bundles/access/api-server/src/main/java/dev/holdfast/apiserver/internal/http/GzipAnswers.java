package dev.holdfast.apiserver.internal.http;

import dev.holdfast.http.HttpAnswer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses large answers for clients that accept gzip. Small answers and watches are not
 * compressed, as in the API server of Kubernetes, because the compression would cost more than it
 * saves.
 */
final class GzipAnswers {
  /** Smallest body that is compressed, as in Kubernetes. */
  static final int SMALLEST = 128 << 10;

  private static final String GZIP = "gzip";

  private GzipAnswers() {}

  /** Returns the answer in the form that the client of a request accepts. */
  static HttpAnswer.Complete forClient(ApiRequest request, HttpAnswer.Complete answer) {
    if (answer.body().remaining() < SMALLEST) {
      return answer;
    }
    List<Map.Entry<String, String>> headers = new ArrayList<>(answer.headers());
    headers.add(Map.entry("Vary", "Accept-Encoding"));
    if (!accepts(request)) {
      return new HttpAnswer.Complete(answer.code(), headers, answer.body());
    }
    headers.add(Map.entry("Content-Encoding", GZIP));
    return new HttpAnswer.Complete(answer.code(), headers, compressed(answer.body()));
  }

  /** Reads Accept-Encoding (RFC 9110, 12.5.3): a coding of weight 0 is not acceptable. */
  private static boolean accepts(ApiRequest request) {
    for (String part : request.header("Accept-Encoding").orElse("").split(",", -1)) {
      MediaType coding = MediaType.parse(part);
      if (coding.type().equals(GZIP)) {
        return !coding.parameter("q").matches("0(\\.0*)?");
      }
    }
    return false;
  }

  private static ByteBuffer compressed(ByteBuffer body) {
    byte[] plain = new byte[body.remaining()];
    body.duplicate().get(plain);
    ByteArrayOutputStream target = new ByteArrayOutputStream(plain.length / 4);
    try (GZIPOutputStream gzip = new FastGzip(target)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteBuffer.wrap(target.toByteArray());
  }

  /** Compresses with the level of Kubernetes, which favours speed. */
  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(ByteArrayOutputStream target) throws IOException {
      super(target);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }
}
