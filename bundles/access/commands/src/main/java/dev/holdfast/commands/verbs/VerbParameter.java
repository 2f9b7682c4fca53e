package dev.holdfast.commands.verbs;

/**
 * An argument or an option of verbs. Its value is looked up in a {@link VerbCall}.
 *
 * @param <T> type of one value
 */
public sealed interface VerbParameter<T> permits VerbArgument, VerbOption {
  /** Returns how users and messages name it. */
  String shown();

  /** Returns the type of one value: String, Boolean, Integer, Long, Path, Quantity or an enum. */
  Class<T> type();

  /** Returns what it means, in one or more lines. */
  String description();

  /** Returns which words a shell offers for it. */
  Candidates candidates();

  /** Returns whether it takes more than one value. */
  boolean isRepeated();
}
