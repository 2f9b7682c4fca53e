package dev.holdfast.commands.verbs;

/**
 * An argument or an option of verbs. A {@link VerbCall} contains its value.
 *
 * @param <T> type of one value
 */
public sealed interface VerbParameter<T> permits VerbArgument, VerbOption {
  /** Returns the name for users and messages. */
  String shown();

  /** Returns the type of one value: String, Boolean, Integer, Long, Path, Quantity or an enum. */
  Class<T> type();

  /** Returns the description in one or more lines. */
  String description();

  /** Returns the words for completion. */
  Candidates candidates();

  /** Returns whether it takes more than one value. */
  boolean isRepeated();
}
