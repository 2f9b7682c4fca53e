package dev.holdfast.controller.testkit;

/**
 * Runs many histories, or a single failed one: {@code -Dholdfast.simulation.histories} sets the
 * number and {@code -Dholdfast.simulation.seed} a single seed.
 */
public final class Histories {
  static final String SEED_PROPERTY = "holdfast.simulation.seed";
  static final String COUNT_PROPERTY = "holdfast.simulation.histories";

  private Histories() {}

  /** A history. */
  @FunctionalInterface
  public interface History {
    /** Runs the history; an exception or AssertionError fails it. */
    void play(long seed) throws Exception;
  }

  /**
   * Runs histories from seed 1.
   *
   * @param count number of histories, unless the system property overrides it
   * @param history runs one history
   * @throws Exception exception of the first failing history
   */
  public static void play(int count, History history) throws Exception {
    Long single = Long.getLong(SEED_PROPERTY);
    if (single != null) {
      history.play(single);
      return;
    }
    int wanted = Integer.getInteger(COUNT_PROPERTY, count);
    for (long seed = 1; seed <= wanted; seed++) {
      history.play(seed);
    }
  }

  /**
   * Runs histories until one fails, to show that a planted defect is detected.
   *
   * @param most maximum number of histories
   * @param history runs one history
   * @return error of the failing history
   * @throws AssertionError when all histories passed
   */
  public static AssertionError firstFailure(int most, History history) throws Exception {
    for (long seed = 1; seed <= most; seed++) {
      try {
        history.play(seed);
      } catch (AssertionError e) {
        return e;
      }
    }
    throw new AssertionError("the planted defect was not found in " + most + " histories");
  }
}
