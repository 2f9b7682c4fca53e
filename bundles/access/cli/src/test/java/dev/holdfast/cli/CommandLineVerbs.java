package dev.holdfast.cli;

import dev.holdfast.commands.verbs.Omission;
import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbGroup;
import java.util.List;

/** The verbs that the command line offers. */
public final class CommandLineVerbs {
  private CommandLineVerbs() {}

  /** Returns all of them, without the options that it lacks. */
  public static List<Verb> all() {
    return VerbGroup.allVerbs().stream()
        .flatMap(verb -> Omission.applied(Commands.OMISSIONS, verb).stream())
        .toList();
  }
}
