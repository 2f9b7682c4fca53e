package dev.holdfast.shell.internal;

import dev.holdfast.commands.verbs.VerbArgument;
import dev.holdfast.commands.verbs.VerbOption;
import dev.holdfast.commands.verbs.VerbOption.Presence;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.commands.verbs.VerbParameter;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.ansi.SimpleAnsi;

/**
 * The words after a command, parsed by the rules of Karaf's own commands: options come before
 * arguments, as {@code --name value} or {@code --name=value}.
 */
final class CommandWords {
  private final ShellVerb command;
  private final Map<VerbParameter<?>, List<Object>> values = new HashMap<>();

  private CommandWords(ShellVerb command) {
    this.command = command;
  }

  /**
   * Parses the words.
   *
   * @throws CommandException for an unknown, missing or superfluous word, or one of a wrong type
   * @throws StorageException INVALID for mutually exclusive options
   */
  static CommandWords parse(ShellVerb command, List<Object> words)
      throws CommandException, StorageException {
    CommandWords read = new CommandWords(command);
    Iterator<Object> rest = words.iterator();
    List<String> arguments = new ArrayList<>();
    while (rest.hasNext()) {
      String word = String.valueOf(rest.next());
      if (arguments.isEmpty() && word.startsWith("-")) {
        read.option(word, rest);
      } else {
        arguments.add(word);
      }
    }
    read.arguments(arguments);
    read.requireOptions();
    return read;
  }

  /** Returns the options by which a word may name them. */
  static Map<String, VerbOption<?>> options(ShellVerb command) {
    Map<String, VerbOption<?>> options =
        command.verb().options().stream().collect(Collectors.toMap(VerbOption::name, o -> o));
    options.put("-o", ShellVerb.OUTPUT);
    options.put("--output", ShellVerb.OUTPUT);
    return options;
  }

  /** Returns the values of the verb's parameters. */
  Map<VerbParameter<?>, List<?>> values() {
    return Map.copyOf(values);
  }

  /** Returns the value of {@code -o}. */
  String output() {
    return String.valueOf(values.get(ShellVerb.OUTPUT).get(0));
  }

  private void option(String word, Iterator<Object> rest) throws CommandException {
    int equals = word.indexOf('=');
    VerbOption<?> option = options(command).get(equals < 0 ? word : word.substring(0, equals));
    if (option == null) {
      throw wrong("undefined option ", word, "\nTry <command> --help' for more information.");
    }
    if (equals < 0 && !option.isFlag() && !rest.hasNext()) {
      throw wrong("missing value for option ", word, "");
    }
    String given = equals < 0 ? "true" : word.substring(equals + 1);
    String text = equals < 0 && !option.isFlag() ? String.valueOf(rest.next()) : given;
    if (!option.isRepeated()) {
      values.remove(option);
    }
    boolean list = option.repetition() == Repetition.LIST;
    for (String part : list ? text.split(",", -1) : new String[] {text}) {
      put(option, "option", part);
    }
  }

  private void arguments(List<String> words) throws CommandException {
    Iterator<String> rest = words.iterator();
    for (VerbArgument<?> argument : command.verb().arguments()) {
      for (int count = 0; count < argument.most() && rest.hasNext(); count++) {
        put(argument, "argument", rest.next());
      }
      if (argument.least() > 0 && !values.containsKey(argument)) {
        throw wrong("argument ", VerbHelp.label(argument), " is required");
      }
    }
    if (rest.hasNext()) {
      throw wrong("too many arguments specified", "", "");
    }
  }

  private void requireOptions() throws CommandException, StorageException {
    for (VerbOption<?> option : options(command).values()) {
      if (option.fallback().isPresent() && !values.containsKey(option)) {
        put(option, "option", option.fallback().get());
      }
      if (option.presence() == Presence.REQUIRED && !values.containsKey(option)) {
        throw wrong("option ", option.name(), " is required");
      }
    }
    List<VerbOption<?>> choice = options(Presence.ONE_OF);
    if (!choice.isEmpty() && choice.stream().noneMatch(values::containsKey)) {
      throw wrong("one of the options ", names(choice, ", "), " is required");
    }
    List<VerbOption<?>> exclusive = options(Presence.EXCLUSIVE);
    if (exclusive.stream().filter(values::containsKey).count() > 1) {
      throw new StorageException(
          ErrorCode.INVALID, names(exclusive, " and ") + " exclude each other: give one of them");
    }
  }

  private List<VerbOption<?>> options(Presence presence) {
    return command.verb().options().stream().filter(o -> o.presence() == presence).toList();
  }

  private static String names(List<VerbOption<?>> options, String separator) {
    return options.stream().map(VerbOption::name).collect(Collectors.joining(separator));
  }

  private void put(VerbParameter<?> parameter, String kind, String text) throws CommandException {
    try {
      Object value = Values.parse(parameter.type(), text);
      values.computeIfAbsent(parameter, key -> new ArrayList<>()).add(value);
    } catch (IllegalArgumentException e) {
      String name = parameter.shown();
      throw wrong(
          "unable to convert " + kind + " ", name, " with value '" + text + "': " + e.getMessage());
    }
  }

  /** Returns an exception whose help highlights one word. */
  private CommandException wrong(String before, String word, String after) {
    String sentence = before.substring(0, 1).toUpperCase(Locale.ROOT) + before.substring(1);
    return new CommandException(
        SimpleAnsi.COLOR_RED
            + "Error executing command "
            + ShellVerb.SCOPE
            + ":"
            + VerbHelp.bold(command.getName())
            + SimpleAnsi.COLOR_DEFAULT
            + ": "
            + before
            + VerbHelp.bold(word)
            + after,
        sentence + word + after);
  }
}
