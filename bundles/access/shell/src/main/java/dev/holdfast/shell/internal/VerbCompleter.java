package dev.holdfast.shell.internal;

import dev.holdfast.commands.verbs.VerbArgument;
import dev.holdfast.commands.verbs.VerbOption;
import dev.holdfast.commands.verbs.VerbParameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Candidate;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;

/** Completes a command's name, its options, and the values of options and arguments. */
final class VerbCompleter implements Completer {
  private final ShellVerb command;
  private final List<String> names;
  private final Map<String, VerbOption<?>> options;
  private final StoreWords words;

  /**
   * Completes one command.
   *
   * @param scoped whether users must omit its scope
   */
  VerbCompleter(ShellVerb command, boolean scoped, StoreWords words) {
    String name = command.getName();
    this.command = command;
    this.names = scoped ? List.of(name) : List.of(name, ShellVerb.SCOPE + ":" + name);
    this.options = CommandWords.options(command);
    this.words = words;
  }

  @Override
  public int complete(Session session, CommandLine line, List<String> found) {
    List<Candidate> candidates = new ArrayList<>();
    completeCandidates(session, line, candidates);
    candidates.forEach(candidate -> found.add(candidate.value()));
    return candidates.isEmpty() ? -1 : 0;
  }

  @Override
  public void completeCandidates(Session session, CommandLine line, List<Candidate> found) {
    int cursor = line.getCursorArgumentIndex();
    if (cursor == 0) {
      names.forEach(name -> found.add(candidate(name, command.getDescription())));
      return;
    }
    String[] given = line.getArguments();
    if (!isThis(session, given[0])) {
      return;
    }
    int index = 1;
    while (index < cursor && given[index].startsWith("-")) {
      Optional<VerbOption<?>> option = option(given[index]);
      if (option.isEmpty()) {
        return;
      }
      index += takesNext(option.get(), given[index]) ? 2 : 1;
    }
    if (index > cursor) {
      complete(options.get(given[cursor - 1]), session, line, found);
    } else if (index == cursor && cursor < given.length && given[cursor].startsWith("-")) {
      options.forEach((name, option) -> found.add(candidate(name, option.description())));
      found.add(candidate(VerbHelp.OPTION, "Display this help message"));
    } else {
      completeArgument(cursor - index, session, line, found);
    }
  }

  private boolean isThis(Session session, String word) {
    String full = ShellVerb.SCOPE + ":" + command.getName();
    return names.contains(word) && session.resolveCommand(word).equals(full);
  }

  private Optional<VerbOption<?>> option(String word) {
    return Optional.ofNullable(options.get(word.split("=", 2)[0]));
  }

  private static boolean takesNext(VerbOption<?> option, String word) {
    return !option.isFlag() && word.indexOf('=') < 0;
  }

  private void completeArgument(
      int position, Session session, CommandLine line, List<Candidate> found) {
    int left = position;
    for (VerbArgument<?> argument : command.verb().arguments()) {
      if (left < argument.most()) {
        complete(argument, session, line, found);
        return;
      }
      left -= argument.most();
    }
  }

  private void complete(
      VerbParameter<?> parameter, Session session, CommandLine line, List<Candidate> found) {
    words.completer(parameter).completeCandidates(session, line, found);
  }

  private static Candidate candidate(String word, String description) {
    String first = description.lines().findFirst().orElse("").replaceFirst("\\.$", "");
    return new Candidate(word, word, null, first, null, null, true);
  }
}
