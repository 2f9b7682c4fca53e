package dev.holdfast.cli;

import dev.holdfast.commands.verbs.WrongUse;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import java.net.http.HttpTimeoutException;
import java.util.OptionalLong;
import picocli.CommandLine;

/**
 * Runs one command and exits with its code: 0 on success, 1 after a failure, 2 after wrong usage.
 */
public final class Main {
  private Main() {}

  /** Main method of the program. */
  public static void main(String[] arguments) {
    System.exit(commandLine(new RemoteConnector(), arguments).execute(arguments));
  }

  /** Returns the command line for the arguments; without arguments it contains all commands. */
  static CommandLine commandLine(StoreConnector connector, String... arguments) {
    Invocation invocation = new Invocation(connector);
    // The settings apply to the commands that exist at this point.
    return Commands.below(new CommandLine(invocation), invocation, arguments)
        .registerConverter(Quantity.class, Main::quantity)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExitCodeExceptionMapper(Main::exitCode)
        .setParameterExceptionHandler(Main::wrongUse)
        .setExecutionExceptionHandler(Main::failure);
  }

  private static Quantity quantity(String text) {
    try {
      return Quantity.parse(text);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.TypeConversionException(e.getMessage());
    }
  }

  private static int wrongUse(CommandLine.ParameterException problem, String[] arguments) {
    CommandLine command = problem.getCommandLine();
    command.getErr().println("holdfast: " + problem.getMessage());
    if (problem instanceof CommandLine.UnmatchedArgumentException unmatched) {
      NearWords.of(unmatched.getUnmatched().get(0), command)
          .ifPresent(near -> command.getErr().println("Did you mean '" + near + "'?"));
    }
    tryHelp(command);
    return CommandLine.ExitCode.USAGE;
  }

  private static int wrongUse(CommandLine command, String problem) {
    command.getErr().println("holdfast: " + problem);
    tryHelp(command);
    return CommandLine.ExitCode.USAGE;
  }

  private static void tryHelp(CommandLine command) {
    command.getErr().println("Try '" + command.getCommandSpec().qualifiedName(" ") + " --help'.");
  }

  private static int failure(Exception problem, CommandLine command, CommandLine.ParseResult parsed)
      throws Exception {
    if (problem instanceof WrongUse) {
      return wrongUse(command, problem.getMessage());
    }
    if (problem instanceof StorageException failure) {
      Invocation invocation = (Invocation) command.getCommandSpec().root().userObject();
      String remedy = remedy(failure, invocation);
      command.getErr().println("holdfast: " + failure.getMessage() + remedy);
      return exitCode(failure);
    }
    throw problem;
  }

  private static String remedy(StorageException failure, Invocation invocation)
      throws StorageException {
    if (!invocation.hasAskedForNode()
        || failure.code() != ErrorCode.UNREACHABLE
        || failure.getCause() instanceof HttpTimeoutException) {
      return "";
    }
    OptionalLong pid = invocation.pid();
    return pid.isPresent()
        ? "\nThe node runs (pid "
            + pid.getAsLong()
            + ") but does not answer; it may be starting, or overloaded: see 'holdfast status'."
        : "\nThe node is not running: start it with './holdfast up'.";
  }

  private static int exitCode(Throwable problem) {
    boolean wrongUse =
        problem instanceof StorageException failure && failure.code() == ErrorCode.INVALID;
    return wrongUse ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
  }
}
