package dev.holdfast.cli;

import dev.holdfast.commands.verbs.Omission;
import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbGroup;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands below the top one, made from the table of verbs. Groups that the arguments cannot
 * match are omitted, because creating all of them would slow down every command.
 */
final class Commands {
  /** Verbs and options that the command line omits. */
  static final List<Omission> OMISSIONS =
      List.of(
          new Omission(
              "mount", "--no-wait", "only scripts of the Karaf shell use it: mounting waits"),
          new Omission(
              "snapshot diff", "--no-wait", "only scripts of the Karaf shell use it: a diff waits"),
          new Omission(
              "snapshot diff",
              "--from",
              "only scripts of the Karaf shell use it: FROM stands" + " before TO"));

  /** Options that need the complete list of commands, also in an argument file. */
  private static final List<String> ABOUT_ALL = List.of("-h", "--help", "@");

  private Commands() {}

  /**
   * Adds the commands below the top command that the arguments may match; all if the arguments
   * match none.
   */
  static CommandLine below(CommandLine top, Invocation invocation, String... arguments) {
    meant(arguments).forEach(group -> add(top, group, invocation));
    return top;
  }

  private static void add(CommandLine top, VerbGroup group, Invocation invocation) {
    if (group.isSingle()) {
      verbs(group).forEach(verb -> add(top, verb, invocation));
      return;
    }
    CommandLine below =
        verbs(group)
            .filter(verb -> isOwn(verb, group))
            .findFirst()
            .map(verb -> new VerbCommand(verb, invocation).commandLine())
            .orElseGet(() -> withoutVerb(top, group));
    top.addSubcommand(group.word(), below);
    verbs(group).filter(verb -> !isOwn(verb, group)).forEach(verb -> add(below, verb, invocation));
  }

  /** Returns whether a group is also a verb. */
  private static boolean isOwn(Verb verb, VerbGroup group) {
    return verb.name().equals(group.word());
  }

  private static CommandLine withoutVerb(CommandLine top, VerbGroup group) {
    Runnable missing =
        () -> {
          throw new CommandLine.ParameterException(
              top.getSubcommands().get(group.word()), "a command is missing");
        };
    CommandSpec spec = CommandSpec.wrapWithoutInspection(missing).name(group.word());
    spec.usageMessage().description(group.description()).synopsisSubcommandLabel("COMMAND");
    return new CommandLine(spec);
  }

  private static void add(CommandLine parent, Verb verb, Invocation invocation) {
    parent.addSubcommand(verb.word(), new VerbCommand(verb, invocation).commandLine());
  }

  private static Stream<Verb> verbs(VerbGroup group) {
    return group.verbs().stream()
        .flatMap(verb -> Omission.applied(OMISSIONS, verb).stream())
        .sorted(Comparator.comparing(Verb::word));
  }

  // A word may also be the value of an option or a name; then one more group exists unused.
  private static List<VerbGroup> meant(String... arguments) {
    List<String> words = Arrays.asList(arguments);
    List<VerbGroup> named =
        Stream.of(VerbGroup.values()).filter(group -> words.contains(group.word())).toList();
    boolean all =
        named.isEmpty() || words.stream().anyMatch(w -> ABOUT_ALL.stream().anyMatch(w::startsWith));
    return all ? List.of(VerbGroup.values()) : named;
  }
}
