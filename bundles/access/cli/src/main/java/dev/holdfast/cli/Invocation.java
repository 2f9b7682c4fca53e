package dev.holdfast.cli;

import dev.holdfast.client.Waiting;
import dev.holdfast.commands.Output;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.mounts.Mounts;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The top command: the options that every command has, and what they lead to. {@link Commands} puts
 * the others below it.
 */
@Command(
    name = "holdfast",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Block storage that never drops an I/O.",
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND")
final class Invocation implements Runnable {
  private static final int RETRY_MILLIS = 200;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      description =
          "The node's state directory. Default: $HOLDFAST_DATA, else /var/lib/holdfast for root,"
              + " else ~/.local/share/holdfast.")
  private Optional<Path> data = Optional.empty();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      scope = ScopeType.INHERIT,
      description = "How results are printed: text (default) or json.")
  private Output.Format format = Output.Format.TEXT;

  private final StoreConnector connector;

  Invocation(StoreConnector connector) {
    this.connector = connector;
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
  }

  /** Something that a command does with a store. */
  interface Work {
    Output with(ResourceStore store) throws StorageException;
  }

  /** Opens the store, does the work, prints the result. */
  int print(Work work) throws StorageException {
    return printOf(session -> work.with(session.store()));
  }

  /** Something that a command does with a session. */
  interface SessionWork {
    Output with(StoreConnector.Session session) throws StorageException;
  }

  int printOf(SessionWork work) throws StorageException {
    try (StoreConnector.Session session = connect()) {
      print(work.with(session));
    }
    return CommandLine.ExitCode.OK;
  }

  void print(Output output) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(output.as(format));
    out.flush();
  }

  /** Warns on the error stream: the result stays alone in the other. */
  void warn(String text) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("holdfast: warning: " + text);
    err.flush();
  }

  private StoreConnector.Session connect() throws StorageException {
    Path kubeconfig = dataDirectory().kubeconfig();
    DataDirectory.requirePermission(kubeconfig);
    if (!Files.exists(kubeconfig)) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "there is no " + kubeconfig + " (see --data)");
    }
    return connector.connect(kubeconfig);
  }

  /** Waits until a node that is being started answers. */
  void awaitNode(Duration limit) throws StorageException {
    long end = System.nanoTime() + limit.toNanos();
    while (true) {
      try (StoreConnector.Session session = connect()) {
        session.store().list(Node.KIND, LabelSelector.ALL);
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE || System.nanoTime() - end >= 0) {
          throw e;
        }
        pause();
      }
    }
  }

  private static void pause() throws StorageException {
    try {
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "interrupted while waiting for the node", e);
    }
  }

  DataDirectory dataDirectory() {
    return DataDirectory.choose(data, System.getenv(), System.getProperty("user.name"));
  }

  Mounts mounts(ResourceStore store) {
    HostState connections = new HostState(dataDirectory().initiators());
    List<Initiator> initiators =
        ServiceLoader.load(InitiatorProvider.class).stream()
            .flatMap(provider -> provider.get().initiators(connections).stream())
            .toList();
    return new Mounts(store, initiators, new HostState(dataDirectory().mounts()));
  }

  Clock clock() {
    return Clock.systemUTC();
  }

  /** Writes the reason of a wait to the error stream: the result stays alone in the other. */
  Waiting waiting(boolean wanted, int timeoutSeconds) {
    if (!wanted) {
      return Waiting.none();
    }
    PrintWriter err = spec.commandLine().getErr();
    return new Waiting(
        Duration.ofSeconds(timeoutSeconds),
        line -> {
          err.println(line);
          err.flush();
        });
  }
}
