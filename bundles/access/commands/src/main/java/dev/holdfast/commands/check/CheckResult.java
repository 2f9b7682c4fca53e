package dev.holdfast.commands.check;

import java.util.Locale;

/**
 * Result of one check.
 *
 * @param name of what was checked, one word
 * @param outcome of the check
 * @param finding what is there, a clause
 * @param remedy what to do about it; empty when there is nothing to do
 */
public record CheckResult(String name, Outcome outcome, String finding, String remedy) {

  /** How a check ended. */
  public enum Outcome {
    /** A node can use it. */
    OK,
    /** A node works, and something does not. */
    WARNING,
    /** A node cannot start or cannot serve. */
    ERROR;

    /** Returns the name that users see. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static CheckResult ok(String name, String finding) {
    return new CheckResult(name, Outcome.OK, finding, "");
  }

  static CheckResult warning(String name, String finding, String remedy) {
    return new CheckResult(name, Outcome.WARNING, finding, remedy);
  }

  static CheckResult error(String name, String finding, String remedy) {
    return new CheckResult(name, Outcome.ERROR, finding, remedy);
  }
}
