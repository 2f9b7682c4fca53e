package dev.holdfast.imagesource.download.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.imagesource.ImageTransfer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** One download. */
final class DownloadTransfer implements ImageTransfer {
  private static final int MOST_REDIRECTS = 5;
  private static final int MOST_INTERIM = 8;
  private static final int PIECE = 256 << 10;

  private final String image;
  private final DownloadUrl url;
  private final HttpDialer dialer;
  private Socket open;
  private boolean closed;

  DownloadTransfer(String image, DownloadUrl url, HttpDialer dialer) {
    this.image = image;
    this.url = url;
    this.dialer = dialer;
  }

  @Override
  public void run(ImageSink sink) throws StorageException {
    Optional<String> tag = sink.position() > 0 ? sink.mark() : Optional.empty();
    DownloadUrl at = url;
    for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      try (Socket socket = opened(dialer.connect(at))) {
        Optional<String> location = exchange(socket, at, tag, sink);
        if (location.isEmpty()) {
          return;
        }
        at = at.redirected(image, location.get());
      } catch (SocketTimeoutException e) {
        throw failure(ErrorCode.TIMEOUT, at, "the server is silent", e);
      } catch (IOException e) {
        throw failure(ErrorCode.UNREACHABLE, at, String.valueOf(e.getMessage()), e);
      }
    }
    throw failure(ErrorCode.INVALID, url, "redirects more than " + MOST_REDIRECTS + " times", null);
  }

  private synchronized Socket opened(Socket socket) throws IOException {
    if (closed) {
      socket.close();
      throw new IOException("the download was ended");
    }
    open = socket;
    return socket;
  }

  /** Returns where the image is instead, empty once it was delivered. */
  private Optional<String> exchange(
      Socket socket, DownloadUrl at, Optional<String> tag, ImageSink sink)
      throws IOException, StorageException {
    socket.getOutputStream().write(request(at, tag, sink.position()));
    InputStream in = new BufferedInputStream(socket.getInputStream(), PIECE);
    ResponseHead head = head(in);
    switch (head.status()) {
      case 200 -> {
        sink.restart(head.strongTag());
        deliver(socket, head, in, sink, 0);
        return Optional.empty();
      }
      case 206 -> {
        long total = resumed(at, head, tag, sink);
        deliver(socket, head, in, sink, total);
        return Optional.empty();
      }
      case 301, 302, 303, 307, 308 -> {
        return Optional.of(
            head.header("location").orElseThrow(() -> new IOException("a redirect leads nowhere")));
      }
      case 416 -> {
        sink.restart(Optional.empty());
        throw failure(ErrorCode.UNREACHABLE, at, "the image became shorter", null);
      }
      default -> throw refused(at, head.status());
    }
  }

  private StorageException refused(DownloadUrl at, int status) {
    boolean passing = status >= 500 || status == 408 || status == 429;
    return failure(
        passing ? ErrorCode.UNREACHABLE : ErrorCode.INVALID,
        at,
        "the server answers with status " + status,
        null);
  }

  private byte[] request(DownloadUrl at, Optional<String> tag, long position) {
    StringBuilder request =
        new StringBuilder("GET ").append(dialer.target(at)).append(" HTTP/1.1\r\n");
    request.append("Host: ").append(at.authority()).append("\r\n");
    request.append("User-Agent: holdfast\r\nAccept: */*\r\nAccept-Encoding: identity\r\n");
    tag.ifPresent(
        known ->
            request
                .append("Range: bytes=")
                .append(position)
                .append("-\r\nIf-Range: ")
                .append(known)
                .append("\r\n"));
    return request
        .append("Connection: close\r\n\r\n")
        .toString()
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  private ResponseHead head(InputStream in) throws IOException {
    ResponseHead.Clocked clock = ResponseHead.within(dialer.limits().head());
    for (int interim = 0; interim < MOST_INTERIM; interim++) {
      ResponseHead head = ResponseHead.read(in, clock);
      if (head.status() >= 200) {
        return head;
      }
    }
    throw new IOException("the server sends interim responses only");
  }

  /** Checks that the rest of the same image follows, and returns the size of the whole. */
  private long resumed(DownloadUrl at, ResponseHead head, Optional<String> tag, ImageSink sink)
      throws IOException, StorageException {
    String range = head.header("content-range").orElse("");
    boolean known = range.matches("bytes \\d{1,18}-\\d{1,18}/\\d{1,18}");
    String[] numbers = known ? range.substring(6).split("[-/]", -1) : new String[0];
    boolean same = tag.isPresent() && (head.strongTag().isEmpty() || head.strongTag().equals(tag));
    boolean fits =
        known
            && Long.parseLong(numbers[0]) == sink.position()
            && Long.parseLong(numbers[1]) == Long.parseLong(numbers[2]) - 1;
    if (!same || !fits) {
      sink.restart(Optional.empty());
      throw failure(ErrorCode.UNREACHABLE, at, "the server sends another range: " + range, null);
    }
    long total = Long.parseLong(numbers[2]);
    long length = head.contentLength();
    if (length >= 0 && length != total - sink.position()) {
      throw new IOException("the range and the length of the response contradict each other");
    }
    return total;
  }

  private void deliver(Socket socket, ResponseHead head, InputStream in, ImageSink sink, long total)
      throws IOException, StorageException {
    String coding = head.header("content-encoding").orElse("identity");
    if (!coding.equalsIgnoreCase("identity")) {
      throw failure(
          ErrorCode.INVALID, url, "the server sends the content encoding " + coding, null);
    }
    boolean chunked = head.isChunked();
    long length = head.contentLength();
    if (!chunked && length < 0) {
      throw failure(ErrorCode.INVALID, url, "the server does not say how long the image is", null);
    }
    if (total > 0 || length >= 0) {
      sink.total(total > 0 ? total : length);
    }
    socket.setSoTimeout((int) dialer.limits().stall().toMillis());
    InputStream body = chunked ? new ChunkedBody(in) : in;
    byte[] piece = new byte[PIECE];
    long left = chunked ? Long.MAX_VALUE : length;
    while (left > 0) {
      int count = body.read(piece, 0, (int) Math.min(piece.length, left));
      if (count < 0 && !chunked) {
        throw new IOException("the server ends the connection " + left + " bytes before the end");
      } else if (count < 0) {
        break;
      }
      sink.write(ByteBuffer.wrap(piece, 0, count));
      left -= count;
    }
    if (total > 0 && sink.position() != total) {
      throw new IOException("the server sends " + sink.position() + " of " + total + " bytes");
    }
  }

  private StorageException failure(ErrorCode code, DownloadUrl at, String why, Throwable cause) {
    return new StorageException(code, "image " + image + ": download " + at + ": " + why, cause);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
