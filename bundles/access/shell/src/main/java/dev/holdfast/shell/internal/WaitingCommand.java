package dev.holdfast.shell.internal;

import dev.holdfast.client.Waiting;
import java.time.Duration;
import org.apache.karaf.shell.api.action.Option;

/** A command that waits until what it asked for has happened. */
abstract class WaitingCommand extends StoreCommand {
  @Option(name = "--no-wait", description = "Return once the request is stored.")
  private boolean noWait;

  @Option(name = "--timeout", description = "How many seconds to wait at most.")
  private int timeoutSeconds = (int) Waiting.DEFAULT_TIMEOUT.toSeconds();

  final Waiting waiting() {
    return noWait ? Waiting.none() : new Waiting(Duration.ofSeconds(timeoutSeconds), this::print);
  }
}
