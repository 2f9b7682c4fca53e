package dev.holdfast.commands.verbs;

/**
 * A positional argument.
 *
 * @param <T> type of one value
 * @param label label in the help, in capitals
 * @param type of one value
 * @param least minimum number of values
 * @param most maximum number of values; {@link Integer#MAX_VALUE} for no limit
 * @param description of one or more lines
 * @param candidates words for completion
 */
public record VerbArgument<T>(
    String label, Class<T> type, int least, int most, String description, Candidates candidates)
    implements VerbParameter<T> {

  /** Returns a required argument with one value. */
  static <T> VerbArgument<T> of(
      String label, Class<T> type, Candidates candidates, String description) {
    return new VerbArgument<>(label, type, 1, 1, description, candidates);
  }

  /** Returns the argument with another number of values. */
  VerbArgument<T> times(int newLeast, int newMost) {
    return new VerbArgument<>(label, type, newLeast, newMost, description, candidates);
  }

  @Override
  public String shown() {
    return label;
  }

  @Override
  public boolean isRepeated() {
    return most > 1;
  }
}
