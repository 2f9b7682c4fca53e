package dev.holdfast.access;

/** A pattern for names in which * matches any text. */
final class NamePattern {
  private NamePattern() {}

  /** Compares without a regular expression, so that no pattern causes excessive run time. */
  static boolean matches(String pattern, String name) {
    String[] parts = pattern.split("\\*", -1);
    if (parts.length == 1) {
      return pattern.equals(name);
    }
    String last = parts[parts.length - 1];
    if (!name.startsWith(parts[0])
        || !name.endsWith(last)
        || name.length() < parts[0].length() + last.length()) {
      return false;
    }
    int from = parts[0].length();
    int end = name.length() - last.length();
    for (int i = 1; i < parts.length - 1; i++) {
      int at = name.indexOf(parts[i], from);
      if (at < 0 || at + parts[i].length() > end) {
        return false;
      }
      from = at + parts[i].length();
    }
    return true;
  }
}
