package dev.holdfast.image.internal.api;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The range of a body that a client requests (RFC 9110, section 14).
 *
 * @param offset of the first byte
 * @param length at least 1
 */
record ByteRange(long offset, long length) {
  private static final Pattern ONE = Pattern.compile("(?i)bytes\\s*=\\s*(\\d{0,18})-(\\d{0,18})");

  /** A range and whether it can be satisfied. */
  record Wanted(Optional<ByteRange> range, boolean satisfiable) {}

  /**
   * Parses the header {@code Range}. A header with several ranges or another unit is ignored, as
   * the RFC allows.
   *
   * @param size of the whole body
   */
  static Wanted of(Optional<String> header, long size) {
    Matcher matcher = ONE.matcher(header.orElse("").strip());
    if (!matcher.matches() || (matcher.group(1).isEmpty() && matcher.group(2).isEmpty())) {
      return new Wanted(Optional.empty(), true);
    }
    long first = 0;
    long last = size - 1;
    if (matcher.group(1).isEmpty()) {
      long suffix = Long.parseLong(matcher.group(2));
      if (suffix == 0) {
        return new Wanted(Optional.empty(), false);
      }
      first = Math.max(0, size - suffix);
    } else {
      first = Long.parseLong(matcher.group(1));
      if (!matcher.group(2).isEmpty()) {
        long end = Long.parseLong(matcher.group(2));
        if (end < first) {
          return new Wanted(Optional.empty(), true);
        }
        last = Math.min(last, end);
      }
    }
    return first >= size
        ? new Wanted(Optional.empty(), false)
        : new Wanted(Optional.of(new ByteRange(first, last - first + 1)), true);
  }
}
