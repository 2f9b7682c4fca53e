package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.commands.verbs.Candidates;
import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbCall;
import dev.holdfast.commands.verbs.VerbOption;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.karaf.shell.api.console.Command;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Parser;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/** A verb as a command of the Karaf shell. */
final class ShellVerb implements Command {
  static final String SCOPE = "holdfast";

  /** The option {@code -o} of every command. */
  static final VerbOption<String> OUTPUT =
      new VerbOption<>(
          "-o",
          "FORMAT",
          String.class,
          VerbOption.Presence.OPTIONAL,
          VerbOption.Repetition.ONCE,
          Optional.of("text"),
          "Format of the result: text or json.",
          Candidates.NONE);

  private final Verb verb;
  private final Function<Session, ShellContext> contexts;
  private final StoreWords words;

  ShellVerb(Verb verb, Function<Session, ShellContext> contexts, StoreWords words) {
    this.verb = verb;
    this.contexts = contexts;
    this.words = words;
  }

  Verb verb() {
    return verb;
  }

  @Override
  public String getScope() {
    return SCOPE;
  }

  @Override
  public String getName() {
    return verb.name().replace(' ', '-');
  }

  @Override
  public String getDescription() {
    return verb.lines().get(0);
  }

  @Override
  public Completer getCompleter(boolean scoped) {
    return new VerbCompleter(this, scoped, words);
  }

  @Override
  public Parser getParser() {
    return null;
  }

  /**
   * Prints the result, because a shell without a terminal does not show return values. A failed
   * verb with a result then throws.
   */
  @Override
  public Object execute(Session session, List<Object> arguments)
      throws StorageException, CommandException {
    if (arguments.stream().map(String::valueOf).anyMatch(VerbHelp.OPTION::equals)) {
      new VerbHelp(this, session).print();
      return null;
    }
    CommandWords given = CommandWords.parse(this, arguments);
    Output.Format format = format(given.output());
    ShellContext context = contexts.apply(session);
    VerbCall call = new VerbCall(context, given.values());
    Output output = verb.action().run(call);
    context.progress(output.as(format));
    if (format == Output.Format.TEXT) {
      context.warnings().forEach(context::progress);
    }
    if (call.hasFailed()) {
      throw new CommandException(SCOPE + ":" + getName() + " failed, as the output above says");
    }
    return null;
  }

  private static Output.Format format(String name) throws StorageException {
    return Arrays.stream(Output.Format.values())
        .filter(candidate -> candidate.toString().equals(name))
        .findFirst()
        .orElseThrow(() -> new StorageException(ErrorCode.INVALID, "-o must be text or json"));
  }
}
