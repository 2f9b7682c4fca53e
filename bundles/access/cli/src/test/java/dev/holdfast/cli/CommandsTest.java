package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.commands.verbs.Omission;
import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbArgument;
import dev.holdfast.commands.verbs.VerbGroup;
import dev.holdfast.commands.verbs.VerbOption;
import dev.holdfast.commands.verbs.VerbOption.Presence;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands of picocli against the table of verbs. */
class CommandsTest {
  private static final List<String> EVERYWHERE =
      List.of("--data", "-o", "--output", "-h", "--help", "-V", "--version");

  private final CommandLine top =
      Main.commandLine(
          kubeconfig -> {
            throw new StorageException(ErrorCode.UNREACHABLE, "there is no node");
          });

  private CommandLine command(Verb verb) {
    CommandLine found = top;
    for (String word : verb.name().split(" ", -1)) {
      assertThat(found.getSubcommands()).as(verb.name()).containsKey(word);
      found = found.getSubcommands().get(word);
    }
    return found;
  }

  private static Stream<Verb> offered() {
    return VerbGroup.allVerbs().stream()
        .flatMap(verb -> Omission.applied(Commands.OMISSIONS, verb).stream());
  }

  @Test
  void verbsAreThoseOfTheTable() {
    List<String> names = new ArrayList<>();
    top.getSubcommands()
        .forEach(
            (group, below) -> {
              if (below.getSubcommands().isEmpty() || group.equals("share")) {
                names.add(group);
              }
              below.getSubcommands().keySet().forEach(verb -> names.add(group + " " + verb));
            });
    assertThat(names).containsExactlyInAnyOrderElementsOf(offered().map(Verb::name).toList());
  }

  @Test
  void optionsAreThoseOfTheTable() {
    offered()
        .forEach(
            verb -> {
              List<String> expected = new ArrayList<>(EVERYWHERE);
              verb.options().forEach(option -> expected.add(option.name()));
              assertThat(
                      command(verb).getCommandSpec().options().stream()
                          .flatMap(option -> Stream.of(option.names())))
                  .as(verb.name())
                  .containsExactlyInAnyOrderElementsOf(expected);
            });
  }

  @Test
  void requiredOptionsAreThoseOfTheTable() {
    offered()
        .forEach(
            verb ->
                assertThat(
                        command(verb).getCommandSpec().options().stream()
                            .filter(OptionSpec::required)
                            .filter(option -> option.group() == null)
                            .map(OptionSpec::longestName))
                    .as(verb.name())
                    .containsExactlyInAnyOrderElementsOf(
                        verb.options().stream()
                            .filter(option -> option.presence() == Presence.REQUIRED)
                            .filter(option -> option.fallback().isEmpty())
                            .map(VerbOption::name)
                            .toList()));
  }

  @Test
  void argumentsAreThoseOfTheTable() {
    offered()
        .forEach(
            verb ->
                assertThat(
                        command(verb).getCommandSpec().positionalParameters().stream()
                            .map(CommandsTest::shown)
                            .collect(Collectors.toList()))
                    .as(verb.name())
                    .isEqualTo(verb.arguments().stream().map(CommandsTest::shown).toList()));
  }

  private static String shown(PositionalParamSpec argument) {
    return argument.paramLabel() + (argument.required() ? "" : " at will") + of(argument);
  }

  private static String of(ArgSpec argument) {
    return argument.type() == List.class ? " several" : "";
  }

  private static String shown(VerbArgument<?> argument) {
    return argument.label()
        + (argument.least() > 0 ? "" : " at will")
        + (argument.isRepeated() ? " several" : "");
  }

  @Test
  void omissionsNameTheTableAndAReason() {
    List<String> options =
        VerbGroup.allVerbs().stream()
            .flatMap(verb -> verb.options().stream().map(o -> verb.name() + " " + o.name()))
            .toList();
    assertThat(Commands.OMISSIONS)
        .allSatisfy(omission -> assertThat(omission.reason()).isNotBlank())
        .extracting(omission -> omission.verb() + " " + omission.option())
        .isSubsetOf(options);
  }
}
