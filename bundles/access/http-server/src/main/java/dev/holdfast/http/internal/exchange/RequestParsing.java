package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRefusal;
import dev.holdfast.http.HttpRequestHead;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.AsciiString;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Parses the head of a request as untrusted input. */
final class RequestParsing {
  private static final int MOST_HEADERS = 200;
  private static final int CHUNKED = -1;
  private static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");

  private RequestParsing() {}

  /** Thrown for a rejected head; the connection ends after the answer. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int code;

    RefusedException(int code, String message) {
      super(message);
      this.code = code;
    }

    HttpRefusal refusal() {
      return new HttpRefusal(code, getMessage());
    }
  }

  static HttpRequestHead head(HttpRequest request, ExchangePeer peer) throws RefusedException {
    checkDecoded(request);
    if (request.protocolVersion().majorVersion() != 1) {
      throw new RefusedException(505, "only HTTP/1.0, HTTP/1.1 and HTTP/2 are served");
    }
    HttpHeaders headers = request.headers();
    if (headers.size() > MOST_HEADERS) {
      throw new RefusedException(431, "the request has more than 200 headers");
    }
    if (request.uri().length() > HttpLimits.REQUEST_LINE) {
      throw new RefusedException(414, "the request line is longer than 8 KiB");
    }
    URI target = target(request.uri());
    try {
      return new HttpRequestHead(
          request.method().name().toUpperCase(Locale.ROOT),
          path(target.getRawPath()),
          target.getRawPath().endsWith("/"),
          query(target.getRawQuery()),
          name -> value(headers, name),
          peer.address(),
          peer.certificates());
    } catch (IllegalArgumentException e) {
      throw new RefusedException(400, "the request's target is not a URI: " + e.getMessage());
    }
  }

  /**
   * Joins the lines of a field, because a proxy may add its own line to a list field (RFC 9110,
   * section 5.3).
   */
  private static Optional<String> value(HttpHeaders headers, String name) {
    return FORWARDED_FOR.contentEqualsIgnoreCase(name) && headers.contains(name)
        ? Optional.of(String.join(",", headers.getAll(name)))
        : Optional.ofNullable(headers.get(name));
  }

  private static void checkDecoded(HttpRequest request) throws RefusedException {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongHttpLineException) {
      throw new RefusedException(414, "the request line is longer than 8 KiB");
    } else if (cause instanceof TooLongHttpHeaderException) {
      throw new RefusedException(431, "the request's headers are larger than 32 KiB");
    } else if (cause != null) {
      throw new RefusedException(400, "the request is not one of HTTP/1.1: " + cause.getMessage());
    }
  }

  private static URI target(String text) throws RefusedException {
    try {
      // Two slashes would be parsed as the start of a host.
      URI target = new URI(text.startsWith("/") ? text.replaceFirst("^/+", "/") : text);
      if (target.getRawPath() == null) {
        throw new RefusedException(400, "the request's target has no path");
      }
      return target;
    } catch (URISyntaxException e) {
      throw new RefusedException(400, "the request's target is not a URI: " + e.getReason());
    }
  }

  private static List<String> path(String raw) {
    List<String> path = new ArrayList<>();
    for (String segment : raw.split("/", -1)) {
      if (!segment.isEmpty()) {
        // A plus sign is literal in a path.
        path.add(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8));
      }
    }
    return path;
  }

  private static Map<String, List<String>> query(String raw) {
    Map<String, List<String>> query = new LinkedHashMap<>();
    if (raw != null) {
      for (String part : raw.split("&", -1)) {
        String[] pair = part.split("=", 2);
        String key = URLDecoder.decode(pair[0], StandardCharsets.UTF_8);
        String value = pair.length == 2 ? URLDecoder.decode(pair[1], StandardCharsets.UTF_8) : "";
        query.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
      }
    }
    return query;
  }

  /** Returns the announced length of the body, 0 without one, -1 for chunks. */
  static long bodyLength(HttpRequest request) throws RefusedException {
    List<String> encodings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    List<String> lengths = request.headers().getAll(HttpHeaderNames.CONTENT_LENGTH);
    if (!encodings.isEmpty()) {
      if (encodings.size() > 1 || !encodings.get(0).equalsIgnoreCase("chunked")) {
        throw new RefusedException(501, "of the transfer encodings only chunked is understood");
      }
      if (!lengths.isEmpty()) {
        throw new RefusedException(
            400, "the request has both Content-Length and Transfer-Encoding");
      }
      return CHUNKED;
    }
    if (lengths.isEmpty()) {
      return 0;
    }
    if (lengths.size() > 1 || !lengths.get(0).matches("\\d{1,15}")) {
      throw new RefusedException(400, "Content-Length is not one number");
    }
    return Long.parseLong(lengths.get(0));
  }
}
