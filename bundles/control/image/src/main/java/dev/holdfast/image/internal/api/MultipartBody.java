package dev.holdfast.image.internal.api;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file in a form of one part (RFC 7578). The size of the file is known. */
final class MultipartBody extends InputStream {
  private static final Pattern BOUNDARY =
      Pattern.compile("(?i)multipart/form-data\\s*;.*?boundary=\"?([^\";\\s]{1,70})\"?.*");
  private static final int LARGEST_HEADERS = 16 << 10;

  private final InputStream in;
  private final byte[] end;
  private long left;
  private boolean ended;

  private MultipartBody(InputStream in, String boundary, long size) {
    this.in = in;
    this.end = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    this.left = size;
  }

  /** Returns the boundary of a form; empty for any other content type. */
  static Optional<String> boundary(String contentType) {
    Matcher matcher = BOUNDARY.matcher(contentType);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** Reads the headers before the file. */
  static MultipartBody open(InputStream body, String boundary, long size) throws IOException {
    MultipartBody opened = new MultipartBody(new BufferedInputStream(body), boundary, size);
    int[] allowed = {LARGEST_HEADERS};
    if (!opened.line(allowed).equals("--" + boundary)) {
      throw new IOException("the form does not begin with its boundary");
    }
    boolean more = true;
    while (more) {
      more = !opened.line(allowed).isEmpty();
    }
    return opened;
  }

  private String line(int[] allowed) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the form ends in its headers");
      } else if (allowed[0]-- <= 0) {
        throw new IOException("the form has more than " + LARGEST_HEADERS + " bytes of headers");
      }
      line.append((char) next);
    }
    return line.toString().replaceAll("\r$", "");
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (left > 0) {
      int count = in.read(target, offset, (int) Math.min(length, left));
      left -= Math.max(0, count);
      return count;
    }
    if (!ended) {
      ended = true;
      if (!new String(in.readNBytes(end.length), StandardCharsets.ISO_8859_1)
          .equals(new String(end, StandardCharsets.ISO_8859_1))) {
        throw new IOException("the file in the form is larger than its size");
      }
      in.transferTo(OutputStream.nullOutputStream());
    }
    return -1;
  }
}
