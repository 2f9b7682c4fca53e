package dev.holdfast.apiserver.internal.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Request line and headers (RFC 9112, sections 3 and 5).
 *
 * @param method in upper case
 * @param target of the request
 * @param keepsAlive whether the client may send another request on the connection
 * @param chunkedAnswers whether it understands answers in chunks
 * @param headers values by names in lower case
 */
record RequestHead(
    String method,
    URI target,
    boolean keepsAlive,
    boolean chunkedAnswers,
    Map<String, List<String>> headers) {
  private static final int LARGEST_HEAD = 32 << 10;
  private static final Pattern REQUEST =
      Pattern.compile("([A-Za-z]{1,20}) (\\S{1,16384}) HTTP/(\\d)\\.(\\d)");
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]++");
  private static final int MOST_HEADERS = 200;
  private static final char DELETE = 0x7f;

  /**
   * Reads a head.
   *
   * @return empty when the client ended the connection before it
   */
  static Optional<RequestHead> read(InputStream in) throws IOException {
    int[] left = {LARGEST_HEAD};
    String first = line(in, left);
    if (first != null && first.isEmpty()) {
      first = line(in, left);
    }
    if (first == null) {
      return Optional.empty();
    }
    Matcher request = REQUEST.matcher(first);
    if (!request.matches()) {
      throw new BadRequestException("the request line is not one of HTTP/1.1");
    }
    if (!request.group(3).equals("1")) {
      throw new BadRequestException(505, "only HTTP/1.0 and HTTP/1.1 are served");
    }
    boolean newer = !request.group(4).equals("0");
    Map<String, List<String>> headers = headers(in, left);
    String connection = String.join(",", headers.getOrDefault("connection", List.of()));
    String wish = connection.toLowerCase(Locale.ROOT);
    return Optional.of(
        new RequestHead(
            request.group(1).toUpperCase(Locale.ROOT),
            target(request.group(2)),
            newer ? !wish.contains("close") : wish.contains("keep-alive"),
            newer,
            headers));
  }

  private static URI target(String text) throws BadRequestException {
    try {
      // Two slashes would be taken for the beginning of a host.
      URI target = new URI(text.startsWith("/") ? text.replaceFirst("^/+", "/") : text);
      if (target.getRawPath() == null) {
        throw new BadRequestException("the request's target has no path");
      }
      return target;
    } catch (URISyntaxException e) {
      throw new BadRequestException("the request's target is not a URI: " + e.getReason());
    }
  }

  private static Map<String, List<String>> headers(InputStream in, int[] left) throws IOException {
    Map<String, List<String>> headers = new TreeMap<>();
    int count = 0;
    for (String line = line(in, left); !"".equals(line); line = line(in, left)) {
      if (line == null) {
        throw new BadRequestException("the request ends in its headers");
      }
      if (++count > MOST_HEADERS) {
        throw new BadRequestException(431, "the request has more than 200 headers");
      }
      // Without a pattern for the whole line: one with several repetitions takes a client hours.
      int colon = line.indexOf(':');
      if (colon < 0 || !NAME.matcher(line.substring(0, colon)).matches()) {
        throw new BadRequestException("a header line is not NAME: VALUE");
      }
      headers
          .computeIfAbsent(
              line.substring(0, colon).toLowerCase(Locale.ROOT), name -> new ArrayList<>())
          .add(value(line, colon + 1));
    }
    return headers;
  }

  private static String value(String line, int from) throws BadRequestException {
    int start = from;
    int end = line.length();
    while (start < end && isBlank(line.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(line.charAt(end - 1))) {
      end--;
    }
    String value = line.substring(start, end);
    if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == DELETE)) {
      throw new BadRequestException("a header's value has a control character");
    }
    return value;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /** Reads a line of ISO 8859-1 without its end; null at the end of the input. */
  static String line(InputStream in, int[] left) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        return null;
      }
      if (--left[0] < 0) {
        throw new BadRequestException(431, "the request's headers are larger than 32 KiB");
      }
      line.append((char) c);
    }
    int end = line.length();
    if (end > 0 && line.charAt(end - 1) == '\r') {
      line.setLength(end - 1);
    }
    return line.toString();
  }

  Optional<String> header(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream().findFirst();
  }

  /** Returns the length of the body; -1 when it comes in chunks (RFC 9112, section 6.3). */
  long bodyLength() throws BadRequestException {
    List<String> encodings = headers.getOrDefault("transfer-encoding", List.of());
    List<String> lengths = headers.getOrDefault("content-length", List.of());
    if (!encodings.isEmpty()) {
      if (!lengths.isEmpty()) {
        throw new BadRequestException("the request has both Content-Length and Transfer-Encoding");
      }
      if (!encodings.get(0).equalsIgnoreCase("chunked") || encodings.size() > 1) {
        throw new BadRequestException(501, "of the transfer encodings only chunked is understood");
      }
      return -1;
    }
    if (lengths.isEmpty()) {
      return 0;
    }
    if (lengths.size() > 1 || !lengths.get(0).matches("\\d{1,15}")) {
      throw new BadRequestException("Content-Length is not one number");
    }
    return Long.parseLong(lengths.get(0));
  }
}
