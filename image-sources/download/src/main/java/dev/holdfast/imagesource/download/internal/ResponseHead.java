package dev.holdfast.imagesource.download.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The head of a response (RFC 9112).
 *
 * @param status of HTTP
 * @param headers values by name in lower case
 */
record ResponseHead(int status, Map<String, List<String>> headers) {
  private static final int LARGEST = 64 << 10;

  /** Reads bytes of a head, and fails when it is too large or takes too long. */
  @FunctionalInterface
  interface Clocked {
    void check() throws IOException;
  }

  /** Returns a check that fails after a time from now. */
  static Clocked within(Duration limit) {
    long begun = System.nanoTime();
    return () -> {
      if (System.nanoTime() - begun > limit.toNanos()) {
        throw new SocketTimeoutException("the head of the response takes too long");
      }
    };
  }

  static ResponseHead read(InputStream in, Clocked clock) throws IOException {
    int[] left = {LARGEST};
    String first = line(in, left, clock);
    if (!first.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
      throw new IOException("the server does not speak HTTP/1.1");
    }
    Map<String, List<String>> headers = new HashMap<>();
    for (String line = line(in, left, clock); !line.isEmpty(); line = line(in, left, clock)) {
      int colon = line.indexOf(':');
      if (colon < 1 || Character.isWhitespace(line.charAt(0))) {
        throw new IOException("the server sends a wrong header");
      }
      headers
          .computeIfAbsent(
              line.substring(0, colon).toLowerCase(Locale.ROOT), name -> new ArrayList<>())
          .add(line.substring(colon + 1).strip());
    }
    return new ResponseHead(Integer.parseInt(first.substring(9, 12)), headers);
  }

  /** Reads a line without its end. */
  static String line(InputStream in, int[] left, Clocked clock) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      clock.check();
      int next = in.read();
      if (next < 0) {
        throw new EOFException("the server ends the connection");
      } else if (left[0]-- <= 0) {
        throw new IOException("the server sends more than " + LARGEST + " bytes of headers");
      } else if (next == '\n') {
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r'
            ? line.substring(0, end - 1)
            : line.toString();
      }
      line.append((char) (next & 0xff));
    }
  }

  Optional<String> header(String name) {
    return headers.getOrDefault(name, List.of()).stream().findFirst();
  }

  /** Returns the strong entity tag; a weak one does not prove that bytes are the same. */
  Optional<String> strongTag() {
    return header("etag").filter(tag -> tag.matches("\"[\\x21\\x23-\\x7e\\x80-\\xff]*\""));
  }

  boolean isChunked() throws IOException {
    List<String> codings = headers.getOrDefault("transfer-encoding", List.of());
    if (codings.isEmpty()) {
      return false;
    } else if (codings.size() != 1 || !codings.get(0).equalsIgnoreCase("chunked")) {
      throw new IOException("the server sends the transfer encoding " + codings);
    } else if (headers.containsKey("content-length")) {
      throw new IOException("the server sends both a length and chunks");
    }
    return true;
  }

  /** Returns the announced number of bytes, -1 for none. */
  long contentLength() throws IOException {
    List<String> lengths = headers.getOrDefault("content-length", List.of());
    if (lengths.isEmpty()) {
      return -1;
    } else if (lengths.stream().distinct().count() != 1 || !lengths.get(0).matches("\\d{1,18}")) {
      throw new IOException("the server sends the lengths " + lengths);
    }
    return Long.parseLong(lengths.get(0));
  }
}
