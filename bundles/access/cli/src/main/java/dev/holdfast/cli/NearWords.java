package dev.holdfast.cli;

import dev.holdfast.resource.cluster.SettingNames;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Finds the command or the option that a misspelled word resembles. */
final class NearWords {
  private static final int MOST_CHANGES = 2;

  private NearWords() {}

  /**
   * Returns the complete command or the option; empty if none is within an edit distance of two.
   */
  static Optional<String> of(String word, CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    boolean option = word.startsWith("-");
    List<String> known =
        option
            ? spec.options().stream().map(OptionSpec::longestName).toList()
            : List.copyOf(command.getSubcommands().keySet());
    String given = option ? word.split("=", 2)[0] : word;
    return known.isEmpty()
        ? Optional.empty()
        : Optional.of(SettingNames.nearest(given, known))
            .filter(near -> SettingNames.distance(given, near) <= MOST_CHANGES)
            .map(near -> option ? near : spec.qualifiedName(" ") + " " + near);
  }
}
