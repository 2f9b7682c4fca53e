package dev.holdfast.backuptarget;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;

/**
 * The rules for keys on all targets: names separated by single slashes, at most 255 bytes per name
 * and 1,024 in all, without control characters, and no name that is {@code .}, {@code ..} or begins
 * with {@value #RESERVED}.
 */
public final class ObjectKeys {
  /** Prefix of names that a store uses internally. */
  public static final String RESERVED = ".holdfast-";

  private static final int LONGEST_KEY = 1024;
  private static final int LONGEST_NAME = 255;

  private ObjectKeys() {}

  /**
   * Returns whether a key is valid.
   *
   * @param key not null
   */
  public static boolean isValid(String key) {
    if (key.isEmpty() || bytes(key) > LONGEST_KEY) {
      return false;
    }
    for (String name : key.split("/", -1)) {
      if (!isValidName(name)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the key if it is valid.
   *
   * @param key not null
   * @throws StorageException INVALID otherwise, naming the key
   */
  public static String check(String key) throws StorageException {
    if (!isValid(key)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "object key \"" + printable(key) + "\": expected names separated by single slashes");
    }
    return key;
  }

  private static boolean isValidName(String name) {
    return !name.isEmpty()
        && !".".equals(name)
        && !"..".equals(name)
        && !name.startsWith(RESERVED)
        && bytes(name) <= LONGEST_NAME
        && name.chars().noneMatch(Character::isISOControl);
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static String printable(String key) {
    String shown = key.length() > LONGEST_NAME ? key.substring(0, LONGEST_NAME) + "…" : key;
    return shown.replaceAll("\\p{Cntrl}", "?");
  }
}
