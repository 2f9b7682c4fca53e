package dev.holdfast.controller.testkit;

/**
 * Plays many histories, or the one that failed: the number is {@code
 * -Dholdfast.simulation.histories} and a single seed {@code -Dholdfast.simulation.seed}.
 */
public final class Histories {
  static final String SEED_PROPERTY = "holdfast.simulation.seed";
  static final String COUNT_PROPERTY = "holdfast.simulation.histories";

  private Histories() {}

  /** One history. */
  @FunctionalInterface
  public interface History {
    /** Plays it; an exception or AssertionError fails it. */
    void play(long seed) throws Exception;
  }

  /**
   * Plays histories from seed 1 on.
   *
   * @param count number of histories, unless the system property overrides it
   * @param history plays one
   * @throws Exception what the first failing history threw
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
   * Plays histories until one fails, to show that a planted defect is found.
   *
   * @param most how many histories may be played
   * @param history plays one
   * @return what the failing history threw
   * @throws AssertionError when none failed
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
