package dev.holdfast.cli;

import dev.holdfast.client.NodeCommands;
import dev.holdfast.client.StatusReport;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code holdfast status}. */
@Command(
    name = "status",
    description = "Show whether Holdfast runs here, and its nodes. Fails when it does not run.")
final class StatusCommand implements Callable<Integer> {
  private final Invocation invocation;

  StatusCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws StorageException {
    DataDirectory data = invocation.dataDirectory();
    OptionalLong pid = data.pid();
    NodeViews views = new NodeViews(invocation.clock());
    if (pid.isEmpty()) {
      invocation.print(views.status(new StatusReport(pid, List.of())));
      return CommandLine.ExitCode.SOFTWARE;
    }
    return invocation.printOf(
        session -> views.status(new NodeCommands(session.store()).status(pid, session.apiPort())));
  }
}
