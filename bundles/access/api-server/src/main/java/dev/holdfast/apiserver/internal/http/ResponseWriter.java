package dev.holdfast.apiserver.internal.http;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;

/** Writes one answer (RFC 9112, sections 4 and 7.1). For one thread. */
final class ResponseWriter {
  /** Stands for an unknown length of a body. */
  static final int STREAM = -1;

  private static final Map<Integer, String> REASONS =
      Map.ofEntries(
          Map.entry(200, "OK"),
          Map.entry(201, "Created"),
          Map.entry(202, "Accepted"),
          Map.entry(400, "Bad Request"),
          Map.entry(401, "Unauthorized"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(406, "Not Acceptable"),
          Map.entry(409, "Conflict"),
          Map.entry(410, "Gone"),
          Map.entry(413, "Content Too Large"),
          Map.entry(415, "Unsupported Media Type"),
          Map.entry(422, "Unprocessable Content"),
          Map.entry(429, "Too Many Requests"),
          Map.entry(431, "Request Header Fields Too Large"),
          Map.entry(500, "Internal Server Error"),
          Map.entry(501, "Not Implemented"),
          Map.entry(503, "Service Unavailable"),
          Map.entry(504, "Gateway Timeout"),
          Map.entry(505, "HTTP Version Not Supported"));

  private final OutputStream out;
  private final boolean chunks;
  private final boolean bodiless;
  private final StringBuilder headers = new StringBuilder();
  private boolean keepsAlive;
  private boolean begun;
  private Optional<Body> body = Optional.empty();

  ResponseWriter(OutputStream out, RequestHead head) {
    this(out, head.keepsAlive(), head.chunkedAnswers(), head.method().equals("HEAD"));
  }

  private ResponseWriter(OutputStream out, boolean keepsAlive, boolean chunks, boolean bodiless) {
    this.out = out;
    this.keepsAlive = keepsAlive;
    this.chunks = chunks;
    this.bodiless = bodiless;
  }

  /** Answers a request that could not be understood. */
  static void refuse(OutputStream out, BadRequestException why) throws IOException {
    ResponseWriter writer = new ResponseWriter(out, false, false, false);
    writer.add("Content-Type", "text/plain; charset=utf-8");
    byte[] text = (why.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    try (OutputStream body = writer.begin(why.code(), text.length)) {
      body.write(text);
    }
  }

  void add(String name, String value) {
    // A line break would begin another header.
    headers.append(name).append(": ").append(value.replaceAll("[\\r\\n]+", " ")).append("\r\n");
  }

  void closeAfterwards() {
    keepsAlive = false;
  }

  OutputStream begin(int code, long length) throws IOException {
    if (begun) {
      throw new IllegalStateException("the answer has begun");
    }
    begun = true;
    boolean chunked = length == STREAM && chunks;
    keepsAlive &= length != STREAM || chunks;
    StringBuilder head = new StringBuilder("HTTP/1.1 ");
    head.append(code).append(' ').append(REASONS.getOrDefault(code, "Status")).append("\r\n");
    head.append("Date: ").append(date()).append("\r\n").append(headers);
    if (chunked) {
      head.append("Transfer-Encoding: chunked\r\n");
    } else if (length != STREAM) {
      head.append("Content-Length: ").append(length).append("\r\n");
    }
    head.append(keepsAlive ? "\r\n" : "Connection: close\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    Body started = new Body(chunked, length);
    body = Optional.of(started);
    return started;
  }

  private static String date() {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(
        Clock.systemUTC().instant().atOffset(ZoneOffset.UTC));
  }

  /** Returns whether the answer is complete, and another request may follow. */
  boolean isReusable() {
    return keepsAlive && body.filter(Body::isComplete).isPresent();
  }

  /** The body, of which each write is sent at its flush. */
  private final class Body extends FilterOutputStream {
    private static final byte[] LINE_END = {'\r', '\n'};

    private final boolean chunked;
    private long left;
    private boolean closed;

    Body(boolean chunked, long length) {
      super(ResponseWriter.this.out);
      this.chunked = chunked;
      this.left = length;
    }

    boolean isComplete() {
      return closed && (chunked || bodiless || left == 0);
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (bodiless || length == 0) {
        return;
      }
      if (chunked) {
        out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(bytes, offset, length);
        out.write(LINE_END);
      } else {
        left -= length;
        out.write(bytes, offset, length);
      }
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      if (chunked && !bodiless) {
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      }
      out.flush();
    }
  }
}
