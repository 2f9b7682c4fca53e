package dev.holdfast.resource;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An amount of bytes, written as in Kubernetes: {@code 1Gi}, {@code 500M}, {@code 1073741824}.
 *
 * @param bytes at least 0
 */
public record Quantity(long bytes) implements Comparable<Quantity> {
  /** Zero bytes. */
  public static final Quantity ZERO = new Quantity(0);

  private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)([KMGTPE]i|[kMGTPE])?");
  private static final String BINARY = "KMGTPE";
  private static final String DECIMAL = "kMGTPE";

  /** Checks the bounds. */
  public Quantity {
    if (bytes < 0) {
      throw new IllegalArgumentException("a quantity must not be negative: " + bytes);
    }
  }

  /**
   * Parses a quantity.
   *
   * @param text for example {@code 1Gi}, not null
   * @return the amount; a fraction of a byte is rounded up
   * @throws IllegalArgumentException when the text is not a quantity of bytes or is over 8 EiB
   */
  public static Quantity parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a quantity: expected a number with a unit such as 1Gi or 500M");
    }
    try {
      return new Quantity(
          new BigDecimal(matcher.group(1))
              .multiply(BigDecimal.valueOf(unit(matcher.group(2))))
              .setScale(0, java.math.RoundingMode.CEILING)
              .longValueExact());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("\"" + text + "\" is more than 8Ei", e);
    }
  }

  private static long unit(String suffix) {
    if (suffix == null) {
      return 1;
    }
    if (suffix.endsWith("i")) {
      return 1L << (10 * (BINARY.indexOf(suffix.charAt(0)) + 1));
    }
    long unit = 1;
    for (int i = 0; i <= DECIMAL.indexOf(suffix.charAt(0)); i++) {
      unit *= 1000;
    }
    return unit;
  }

  /**
   * Returns the smallest multiple of a unit that is at least this amount.
   *
   * @param unit in bytes, at least 1
   * @throws IllegalArgumentException when the result is over 8 EiB
   */
  public Quantity roundedUp(long unit) {
    long rest = bytes % unit;
    if (rest == 0) {
      return this;
    }
    if (bytes > Long.MAX_VALUE - (unit - rest)) {
      throw new IllegalArgumentException(bytes + " bytes rounded up is more than 8Ei");
    }
    return new Quantity(bytes + unit - rest);
  }

  /** Returns the form with a binary unit, or with a decimal unit if only that is exact. */
  public String shortest() {
    String binary = toString();
    int power = 0;
    long left = bytes;
    while (left > 0 && left % 1000 == 0 && power < DECIMAL.length()) {
      left /= 1000;
      power++;
    }
    return power == 0 || !binary.matches("\\d+")
        ? binary
        : left + DECIMAL.substring(power - 1, power);
  }

  /**
   * Returns the shortest exact form with a binary unit, for example {@code 1Gi}, or the number of
   * bytes.
   */
  @Override
  public String toString() {
    int power = bytes == 0 ? 0 : Math.min(Long.numberOfTrailingZeros(bytes) / 10, BINARY.length());
    return power == 0
        ? Long.toString(bytes)
        : (bytes >> (10 * power)) + BINARY.substring(power - 1, power) + "i";
  }

  @Override
  public int compareTo(Quantity other) {
    return Long.compare(bytes, other.bytes);
  }
}
