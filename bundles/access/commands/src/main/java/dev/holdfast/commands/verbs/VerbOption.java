package dev.holdfast.commands.verbs;

import java.util.Optional;

/**
 * An option.
 *
 * @param <T> type of one value
 * @param name with its hyphens, for example {@code --size}
 * @param label of its value in the help; empty for a flag
 * @param type of one value; Boolean for a flag, which takes no value
 * @param presence whether it is required
 * @param repetition number of its values
 * @param fallback default value in the form of user input
 * @param description of one or more lines
 * @param candidates words for completion of its value
 */
public record VerbOption<T>(
    String name,
    String label,
    Class<T> type,
    Presence presence,
    Repetition repetition,
    Optional<String> fallback,
    String description,
    Candidates candidates)
    implements VerbParameter<T> {

  /** Rules for the presence of an option. */
  public enum Presence {
    /** The option is optional. */
    OPTIONAL,
    /** The option is required. */
    REQUIRED,
    /** At least one of the verb's options with this rule is required. */
    ONE_OF,
    /** At most one of the verb's options with this rule is permitted. */
    EXCLUSIVE
  }

  /** Rules for the repetition of an option. */
  public enum Repetition {
    /** The option may be used once. */
    ONCE,
    /** The option may be repeated with one value each. */
    REPEATED,
    /** The option may be repeated, each time with one or more values separated by commas. */
    LIST
  }

  /** Returns an option without a value. */
  static VerbOption<Boolean> flag(String name, String description) {
    return new VerbOption<>(
        name,
        "",
        Boolean.class,
        Presence.OPTIONAL,
        Repetition.ONCE,
        Optional.empty(),
        description,
        Candidates.NONE);
  }

  /** Returns an optional option with one value. */
  static <T> VerbOption<T> of(
      String name, String label, Class<T> type, Candidates candidates, String description) {
    return new VerbOption<>(
        name,
        label,
        type,
        Presence.OPTIONAL,
        Repetition.ONCE,
        Optional.empty(),
        description,
        candidates);
  }

  /** Returns an optional option with one value and without completion. */
  static <T> VerbOption<T> of(String name, String label, Class<T> type, String description) {
    return of(name, label, type, Candidates.NONE, description);
  }

  /** Returns an option with a number of seconds. */
  static VerbOption<Integer> seconds(String name, int fallback, String description) {
    return of(name, "SECONDS", Integer.class, description + " Default: " + fallback + ".")
        .or(Integer.toString(fallback));
  }

  VerbOption<T> given(Presence newPresence) {
    return new VerbOption<>(
        name, label, type, newPresence, repetition, fallback, description, candidates);
  }

  VerbOption<T> times(Repetition newRepetition) {
    return new VerbOption<>(
        name, label, type, presence, newRepetition, fallback, description, candidates);
  }

  VerbOption<T> or(String newFallback) {
    return new VerbOption<>(
        name,
        label,
        type,
        presence,
        repetition,
        Optional.ofNullable(newFallback),
        description,
        candidates);
  }

  /** Returns whether the option has no value. */
  public boolean isFlag() {
    return type == Boolean.class;
  }

  @Override
  public String shown() {
    return name;
  }

  @Override
  public boolean isRepeated() {
    return repetition != Repetition.ONCE;
  }
}
