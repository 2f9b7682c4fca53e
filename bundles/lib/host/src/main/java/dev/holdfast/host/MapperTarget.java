package dev.holdfast.host;

import java.util.Objects;

/**
 * One line of a device mapper table: a range of a device and the target that serves it.
 *
 * @param start first sector of the range, of 512 bytes
 * @param sectors length of the range
 * @param type of the target, such as {@code linear}, {@code error} or {@code thin}
 * @param arguments of the target, such as {@code /dev/sdb 0}; in a status what the target reports
 */
public record MapperTarget(long start, long sectors, String type, String arguments) {
  private static final int FIELDS = 4;

  /** Checks that the text is one line. */
  public MapperTarget {
    if (start < 0 || sectors < 1) {
      throw new IllegalArgumentException(
          "range: starts at " + start + " with " + sectors + " sectors, must not be empty");
    }
    Objects.requireNonNull(type, "type");
    if (type.isEmpty() || (type + arguments).contains("\n")) {
      throw new IllegalArgumentException("type and arguments: must be words of one line");
    }
  }

  /** Maps a range to another device, starting at one of its sectors. */
  public static MapperTarget linear(long start, long sectors, String device, long from) {
    return new MapperTarget(start, sectors, "linear", device + " " + from);
  }

  /** Fails all requests of a range. */
  public static MapperTarget error(long start, long sectors) {
    return new MapperTarget(start, sectors, "error", "");
  }

  /** Reads a line of dmsetup(8). */
  static MapperTarget parse(String line) {
    String[] fields = line.strip().split(" ", FIELDS);
    return new MapperTarget(
        Long.parseLong(fields[0]),
        Long.parseLong(fields[1]),
        fields[2],
        fields.length < FIELDS ? "" : fields[3].strip());
  }

  /** Returns the line as dmsetup(8) reads it. */
  @Override
  public String toString() {
    return (start + " " + sectors + " " + type + " " + arguments).strip();
  }
}
