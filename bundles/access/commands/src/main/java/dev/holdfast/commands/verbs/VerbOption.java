package dev.holdfast.commands.verbs;

import java.util.Optional;

/**
 * An option.
 *
 * @param <T> type of one value
 * @param name with its hyphens, for example {@code --size}
 * @param label of its value as help shows it; empty for a flag
 * @param type of one value; Boolean for a flag, which takes no value
 * @param presence when it is given
 * @param repetition how often it is given
 * @param fallback the value of an option that is not given, as a user would type it
 * @param description of one or more lines
 * @param candidates words that a shell offers for its value
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

  /** When an option is given. */
  public enum Presence {
    /** At will. */
    OPTIONAL,
    /** Always. */
    REQUIRED,
    /** At least one of the verb's options of this kind is given. */
    ONE_OF,
    /** At most one of the verb's options of this kind is given. */
    EXCLUSIVE
  }

  /** How often an option is given. */
  public enum Repetition {
    /** Once. */
    ONCE,
    /** Several times, with a value each. */
    REPEATED,
    /** Several times, with one or more values each, separated by commas. */
    LIST
  }

  /** An option without a value. */
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

  /** An option with one value, given at will. */
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

  /** An option with one value, given at will, for which a shell offers no words. */
  static <T> VerbOption<T> of(String name, String label, Class<T> type, String description) {
    return of(name, label, type, Candidates.NONE, description);
  }

  /** An option with a number of seconds. */
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
