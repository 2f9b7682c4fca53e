package dev.holdfast.shell.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.backupstore.BackupTargets;
import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.commands.verbs.VerbContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostState;
import dev.holdfast.mounts.Mounts;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.karaf.shell.api.console.Session;
import org.osgi.framework.BundleContext;

/** The node's services and properties in the context of a shell command. */
final class ShellContext implements VerbContext {
  private final ShellServices services;
  private final BundleContext framework;
  private final Session session;
  private final List<String> warnings = new ArrayList<>();

  ShellContext(ShellServices services, BundleContext framework, Session session) {
    this.services = services;
    this.framework = framework;
    this.session = session;
  }

  @Override
  public ResourceStore store() {
    return services.store();
  }

  @Override
  public ClusterAccess cluster() throws StorageException {
    return services
        .cluster()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED,
                    "this node has joined a cluster: run the command on the node that has the"
                        + " store"));
  }

  @Override
  public List<HealthFinding> health() throws StorageException {
    return services
        .health()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED, "the bundle dev.holdfast.support does not run here"))
        .findings();
  }

  @Override
  public JsonNode document(String path) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, path + ": use 'holdfast' in a terminal");
  }

  @Override
  public void receiveDocument(Path file, String path) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, file + ": use 'holdfast' in a terminal");
  }

  @Override
  public String server() {
    return property("holdfast.advertised.address").orElse("127.0.0.1")
        + ":"
        + property("holdfast.api.port").orElse("7443");
  }

  /** Returns at once, because the shell runs in the node. */
  @Override
  public void awaitNode(Duration limit) {}

  @Override
  public Mounts mounts() throws StorageException {
    HostState connections = new HostState(data().resolve("initiators"));
    return new Mounts(
        new LocalHost(),
        services.store(),
        services.initiators().stream()
            .flatMap(provider -> provider.initiators(connections).stream())
            .toList(),
        new HostState(data().resolve("mounts")),
        MemberCredential.nodeOf(data()));
  }

  @Override
  public Path data() {
    return property("holdfast.data")
        .map(Path::of)
        .orElseThrow(
            () -> new IllegalStateException("the framework property holdfast.data is not set"));
  }

  @Override
  public OptionalLong pid() {
    return OptionalLong.of(ProcessHandle.current().pid());
  }

  @Override
  public BackupTargets backupTargets() {
    return new BackupTargets(services.targets());
  }

  @Override
  public long sizeOf(Path file) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, file + ": use 'holdfast' in a terminal");
  }

  @Override
  public void send(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, file + ": use 'holdfast' in a terminal");
  }

  @Override
  public void receive(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, file + ": use 'holdfast' in a terminal");
  }

  @Override
  public byte[] hiddenValue(Optional<Path> file) throws StorageException {
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "secret values: use 'holdfast secret set' in a terminal");
  }

  @Override
  public Optional<String> answer(String question) throws StorageException {
    if (session.getTerminal() == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(session.readLine(question, null));
    } catch (IOException e) {
      throw StorageException.io("terminal", e);
    }
  }

  /** Returns a variable of the shell's session, which {@code NAME=value} sets. */
  @Override
  public Optional<String> variable(String name) {
    return Optional.ofNullable(session.get(name)).map(String::valueOf);
  }

  @Override
  public Clock clock() {
    return Clock.systemUTC();
  }

  @Override
  public void progress(String line) {
    session.getConsole().println(line);
    // Over SSH without a terminal, only the command itself flushes the output.
    session.getConsole().flush();
  }

  /** Adds a warning to the end of the text, because a shell has only one output stream. */
  @Override
  public void warn(String text) {
    warnings.add("warning: " + text);
  }

  @Override
  public void report(StorageException failure) {
    progress(failure.getMessage());
  }

  /** Returns the warnings of the verb. */
  List<String> warnings() {
    return List.copyOf(warnings);
  }

  private Optional<String> property(String name) {
    return Optional.ofNullable(framework.getProperty(name));
  }
}
