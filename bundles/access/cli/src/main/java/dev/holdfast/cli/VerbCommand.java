package dev.holdfast.cli;

import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbArgument;
import dev.holdfast.commands.verbs.VerbOption;
import dev.holdfast.commands.verbs.VerbOption.Presence;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.commands.verbs.VerbParameter;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A verb as a command of picocli. */
final class VerbCommand implements Callable<Integer> {
  private final Verb verb;
  private final Invocation invocation;
  private final Map<VerbParameter<?>, ArgSpec> parameters = new HashMap<>();

  VerbCommand(Verb verb, Invocation invocation) {
    this.verb = verb;
    this.invocation = invocation;
  }

  CommandLine commandLine() {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name(verb.word());
    spec.usageMessage().description(verb.lines().toArray(String[]::new));
    for (int index = 0; index < verb.arguments().size(); index++) {
      spec.addPositional(positional(index, verb.arguments().get(index)));
    }
    for (VerbOption<?> option : verb.options()) {
      if (!isGrouped(option)) {
        spec.addOption(option(option));
      }
    }
    addGroup(spec, Presence.ONE_OF, ArgGroupSpec.builder().exclusive(false).multiplicity("1"));
    addGroup(spec, Presence.EXCLUSIVE, ArgGroupSpec.builder().exclusive(true).multiplicity("0..1"));
    return new CommandLine(spec);
  }

  private static boolean isGrouped(VerbOption<?> option) {
    return switch (option.presence()) {
      case OPTIONAL, REQUIRED -> false;
      case ONE_OF, EXCLUSIVE -> true;
    };
  }

  private void addGroup(CommandSpec spec, Presence presence, ArgGroupSpec.Builder group) {
    List<VerbOption<?>> members =
        verb.options().stream().filter(option -> option.presence() == presence).toList();
    if (!members.isEmpty()) {
      members.forEach(option -> group.addArg(option(option)));
      spec.addArgGroup(group.build());
    }
  }

  private PositionalParamSpec positional(int index, VerbArgument<?> argument) {
    boolean repeated = argument.isRepeated();
    String most = argument.most() == Integer.MAX_VALUE ? "*" : Integer.toString(argument.most());
    PositionalParamSpec spec =
        PositionalParamSpec.builder()
            .index(repeated ? index + "..*" : Integer.toString(index))
            .arity(argument.least() == 1 && !repeated ? "1" : argument.least() + ".." + most)
            .required(argument.least() > 0)
            .paramLabel(argument.label())
            .type(repeated ? List.class : argument.type())
            .auxiliaryTypes(argument.type())
            .description(lines(argument.description()))
            .build();
    parameters.put(argument, spec);
    return spec;
  }

  /** Escapes percent signs, which picocli treats as format specifiers. */
  private static String[] lines(String description) {
    return description.replace("%", "%%").lines().toArray(String[]::new);
  }

  private OptionSpec option(VerbOption<?> option) {
    OptionSpec spec =
        OptionSpec.builder(option.name())
            .paramLabel(option.label())
            .arity(option.isFlag() ? "0" : "1")
            .type(option.isRepeated() ? List.class : option.type())
            .auxiliaryTypes(option.type())
            .splitRegex(option.repetition() == Repetition.LIST ? "," : "")
            .required(option.presence() == Presence.REQUIRED)
            .defaultValue(option.fallback().orElse(null))
            .description(lines(option.description()))
            .build();
    parameters.put(option, spec);
    return spec;
  }

  @Override
  public Integer call() throws StorageException {
    Map<VerbParameter<?>, List<?>> values = new HashMap<>();
    parameters.forEach(
        (parameter, spec) -> {
          Object value = spec.getValue();
          if (value != null) {
            values.put(parameter, value instanceof List<?> list ? list : List.of(value));
          }
        });
    return invocation.run(verb, values);
  }
}
