package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.backupstore.BackupTargets;
import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.client.HealthJson;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.verbs.Verb;
import dev.holdfast.commands.verbs.VerbCall;
import dev.holdfast.commands.verbs.VerbContext;
import dev.holdfast.commands.verbs.VerbParameter;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.mounts.Mounts;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.remote.ApiConnection;
import dev.holdfast.store.remote.ApiDocuments;
import dev.holdfast.store.remote.FileDownload;
import dev.holdfast.store.remote.FileUpload;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The top command with the common options and their values. {@link Commands} adds the other
 * commands below it.
 */
@Command(
    name = "holdfast",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Block storage that never drops an I/O.",
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND")
final class Invocation implements Runnable, VerbContext {
  private static final int RETRY_MILLIS = 200;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      description =
          "The node's state directory. Default: $HOLDFAST_DATA, else /var/lib/holdfast for root,"
              + " else ~/.local/share/holdfast.")
  private Optional<Path> given = Optional.empty();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      scope = ScopeType.INHERIT,
      description = "Format of results: text (default) or json.")
  private Output.Format format = Output.Format.TEXT;

  private final StoreConnector connector;

  /** Null until a verb uses it. */
  private StoreConnector.Session session;

  private boolean askedForNode;

  Invocation(StoreConnector connector) {
    this.connector = connector;
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
  }

  /** Runs a verb and prints its result. */
  int run(Verb verb, Map<VerbParameter<?>, List<?>> values) throws StorageException {
    try {
      VerbCall call = new VerbCall(this, values);
      String text = verb.action().run(call).as(format);
      PrintWriter out = spec.commandLine().getOut();
      out.println(text);
      out.flush();
      return call.hasFailed() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    } finally {
      if (session != null) {
        session.close();
      }
    }
  }

  private StoreConnector.Session session() throws StorageException {
    if (session == null) {
      session = connect();
    }
    return session;
  }

  @Override
  public ResourceStore store() throws StorageException {
    return session().store();
  }

  @Override
  public ClusterAccess cluster() throws StorageException {
    return session().cluster();
  }

  @Override
  public List<HealthFinding> health() throws StorageException {
    // Without the session, because the store of this host need not be the one behind the API.
    Path kubeconfig = dataDirectory().kubeconfig();
    return HealthJson.findings(
        new ApiDocuments(ApiConnection.ofKubeconfig(kubeconfig)).read(HealthJson.PATH));
  }

  @Override
  public JsonNode document(String path) throws StorageException {
    return new ApiDocuments(ApiConnection.ofKubeconfig(requiredKubeconfig())).read(path);
  }

  @Override
  public void receiveDocument(Path file, String path) throws StorageException {
    new FileDownload(ApiConnection.ofKubeconfig(requiredKubeconfig())).receive(file, path);
  }

  @Override
  public String server() throws StorageException {
    return session().server();
  }

  private StoreConnector.Session connect() throws StorageException {
    return connector.connect(requiredKubeconfig());
  }

  private Path requiredKubeconfig() throws StorageException {
    askedForNode = true;
    Path kubeconfig = dataDirectory().kubeconfig();
    DataDirectory.requirePermission(kubeconfig);
    if (!Files.exists(kubeconfig)) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, kubeconfig + " does not exist: name the directory by --data");
    }
    return kubeconfig;
  }

  /** Waits until a starting node answers. */
  @Override
  public void awaitNode(Duration limit) throws StorageException {
    long end = System.nanoTime() + limit.toNanos();
    while (true) {
      try (StoreConnector.Session attempt = connect()) {
        attempt.store().list(Node.KIND, LabelSelector.ALL);
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

  /** Returns whether the command contacted the node; other commands report their own failures. */
  boolean hasAskedForNode() {
    return askedForNode;
  }

  DataDirectory dataDirectory() {
    return DataDirectory.choose(given, System.getenv(), System.getProperty("user.name"));
  }

  @Override
  public Path data() {
    return dataDirectory().path();
  }

  @Override
  public OptionalLong pid() throws StorageException {
    return dataDirectory().pid();
  }

  @Override
  public Mounts mounts() throws StorageException {
    HostState connections = new HostState(dataDirectory().initiators());
    List<Initiator> initiators =
        ServiceLoader.load(InitiatorProvider.class).stream()
            .flatMap(provider -> provider.get().initiators(connections).stream())
            .toList();
    return new Mounts(
        new LocalHost(),
        store(),
        initiators,
        new HostState(dataDirectory().mounts()),
        MemberCredential.nodeOf(data()));
  }

  @Override
  public BackupTargets backupTargets() throws StorageException {
    return new BackupTargets(Plugins.ofThisProgram().load(BackupTargetProvider.class));
  }

  @Override
  public long sizeOf(Path file) throws StorageException {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.NOT_FOUND, file + " cannot be read: " + e, e);
    }
  }

  @Override
  public void send(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException {
    Path kubeconfig = dataDirectory().kubeconfig();
    new FileUpload(ApiConnection.ofKubeconfig(kubeconfig)).send(file, kind, name, subresource);
  }

  @Override
  public void receive(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException {
    Path kubeconfig = dataDirectory().kubeconfig();
    new FileDownload(ApiConnection.ofKubeconfig(kubeconfig)).receive(file, kind, name, subresource);
  }

  @Override
  public Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isEmpty());
  }

  @Override
  public byte[] hiddenValue(Optional<Path> file) throws StorageException {
    return HiddenValue.read(file);
  }

  // The program runs on Java 17, where a console implies a terminal.
  @SuppressWarnings("SystemConsoleNull")
  @Override
  public Optional<String> answer(String question) {
    Console console = System.console();
    return console == null
        ? Optional.empty()
        : Optional.ofNullable(console.readLine("%s", question));
  }

  @Override
  public Clock clock() {
    return Clock.systemUTC();
  }

  /** Writes to the error stream, because the output stream contains only the result. */
  @Override
  public void progress(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  @Override
  public void warn(String text) {
    progress("holdfast: warning: " + text);
  }

  @Override
  public void report(StorageException failure) {
    progress("holdfast: " + failure.getMessage());
  }
}
