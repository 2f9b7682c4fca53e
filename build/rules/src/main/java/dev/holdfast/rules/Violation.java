package dev.holdfast.rules;

/**
 * A place that breaks a rule.
 *
 * @param rule name of the rule
 * @param from class, package or folder that breaks it
 * @param to class or folder that it must not use, or {@code -}
 * @param size how far it breaks the rule, such as the number of types, otherwise 1
 */
record Violation(String rule, String from, String to, int size, String message) {
  static final String NOTHING = "-";

  static Violation between(String rule, String from, String to, String message) {
    return new Violation(rule, from, to, 1, message);
  }

  static Violation of(String rule, String from, int size, String message) {
    return new Violation(rule, from, NOTHING, size, message);
  }

  @Override
  public String toString() {
    String target = to.equals(NOTHING) ? "" : " -> " + to;
    return "%s: %s%s: %s".formatted(rule, from, target, message);
  }
}
