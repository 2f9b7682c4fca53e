package dev.holdfast.commands.check;

import java.util.Locale;

/**
 * Result of one check.
 *
 * @param name name of the check, one word
 * @param outcome of the check
 * @param finding the finding, a clause
 * @param remedy the remedy; empty if none is needed
 */
public record CheckResult(String name, Outcome outcome, String finding, String remedy) {

  /** Outcomes of a check. */
  public enum Outcome {
    /** A node can use the checked item. */
    OK,
    /** A node works, but one of its functions does not. */
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
