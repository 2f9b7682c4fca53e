package dev.holdfast.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that has commands below it and does nothing by itself. */
abstract class CommandGroup implements Runnable {
  @Spec private CommandSpec spec;

  private final Invocation invocation;

  CommandGroup(Invocation invocation) {
    this.invocation = invocation;
  }

  Invocation invocation() {
    return invocation;
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
  }
}
