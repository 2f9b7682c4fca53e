package dev.holdfast.engine.lvm.blobs.internal.locks;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.function.Predicate;

/** Values in the output of sanlock 3.8: lines of a name and a value. Stateless. */
final class SanlockText {
  private SanlockText() {}

  /** Returns the value of the first line {@code NAME VALUE} or {@code NAME=VALUE}. */
  static Optional<String> value(String text, String name) {
    return text.lines()
        .map(String::strip)
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "="))
        .map(line -> line.substring(name.length() + 1).strip())
        .filter(Predicate.not(String::isEmpty))
        .findFirst();
  }

  static long number(String text, String name) throws StorageException {
    String value =
        value(text, name)
            .orElseThrow(() -> unreadable("\"" + name + "\" is missing in: " + text, null));
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw unreadable(name + " is \"" + value + "\"", e);
    }
  }

  static int integer(String text, String name) throws StorageException {
    try {
      return Math.toIntExact(number(text, name));
    } catch (ArithmeticException e) {
      throw unreadable(name + " is too large", e);
    }
  }

  private static StorageException unreadable(String why, Exception cause) {
    return new StorageException(
        ErrorCode.INTERNAL,
        "the output of sanlock cannot be read: " + why + ": install sanlock 3.8",
        cause);
  }
}
