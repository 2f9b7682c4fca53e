package dev.holdfast.commands.verbs;

import java.util.List;
import java.util.Optional;

/**
 * An exception of the command line or of the Karaf shell: a verb, or an option of one, that it does
 * not have.
 *
 * @param verb the name of the verb
 * @param option the name of the option; empty for the whole verb
 * @param reason why it is missing there
 */
public record Omission(String verb, String option, String reason) {

  /** A whole verb. */
  public static Omission of(String verb, String reason) {
    return new Omission(verb, "", reason);
  }

  /** Returns what a list of exceptions leaves of a verb; empty for nothing. */
  public static Optional<Verb> applied(List<Omission> omissions, Verb verb) {
    List<String> options =
        omissions.stream()
            .filter(omission -> omission.verb().equals(verb.name()))
            .map(Omission::option)
            .toList();
    return options.contains("") ? Optional.empty() : Optional.of(verb.without(options));
  }
}
