package dev.holdfast.commands.verbs;

import java.util.List;
import java.util.Optional;

/**
 * A verb or an option that the command line or the Karaf shell omits.
 *
 * @param verb the name of the verb
 * @param option the name of the option; empty for the complete verb
 * @param reason reason of the omission
 */
public record Omission(String verb, String option, String reason) {

  /** Returns the omission of a complete verb. */
  public static Omission of(String verb, String reason) {
    return new Omission(verb, "", reason);
  }

  /** Returns a verb without the omitted options; empty if the verb is omitted. */
  public static Optional<Verb> applied(List<Omission> omissions, Verb verb) {
    List<String> options =
        omissions.stream()
            .filter(omission -> omission.verb().equals(verb.name()))
            .map(Omission::option)
            .toList();
    return options.contains("") ? Optional.empty() : Optional.of(verb.without(options));
  }
}
