package dev.holdfast.cli;

import dev.holdfast.client.Waiting;
import picocli.CommandLine.Option;

/** How long a command waits. */
final class WaitOptions {
  @Option(names = "--no-wait", description = "Return once the request is stored.")
  private boolean noWait;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long to wait at most. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds;

  Waiting of(Invocation invocation) {
    return invocation.waiting(!noWait, timeoutSeconds);
  }
}
