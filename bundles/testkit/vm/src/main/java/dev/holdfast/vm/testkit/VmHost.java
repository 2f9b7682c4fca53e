package dev.holdfast.vm.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A virtual machine as a host, with the programs of this machine and its own kernel. An agent in it
 * runs the commands; the test's process stays outside.
 *
 * <pre>
 *   test ── VmHost ◄── a TCP connection for each command ── agent.pl ── program   (in the VM)
 * </pre>
 *
 * The machine ends with the close of this object and with this process. Thread-safe.
 */
public final class VmHost implements Host, AutoCloseable {
  private static final Duration BOOT = Duration.ofMinutes(2);
  private static final Duration OFF = Duration.ofSeconds(30);
  private static final String GATEWAY = "10.0.2.2";

  private final Process machine;
  private final Path log;
  private final AgentConnections connections;
  private final HostFiles files = new VmFiles(this);
  private final Map<String, Path> programs = new ConcurrentHashMap<>();

  private VmHost(Process machine, Path log, AgentConnections connections) {
    this.machine = machine;
    this.log = log;
    this.connections = connections;
  }

  /**
   * Starts a machine and waits until its agent answers.
   *
   * @param options of the machine
   * @throws StorageException UNREACHABLE with the machine's output when it does not start; IO
   */
  public static VmHost start(VmOptions options) throws StorageException {
    try {
      AgentConnections connections = new AgentConnections();
      Path log = Files.createTempFile("holdfast-vm", ".log");
      List<String> command = new ArrayList<>(List.of(program().toString()));
      command.addAll(options.command());
      command.addAll(List.of("--", "perl", "-e", agent(), GATEWAY));
      command.addAll(List.of(Integer.toString(connections.port()), connections.word()));
      Process machine =
          new ProcessBuilder(command)
              .directory(Path.of("/").toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      VmHost host = new VmHost(machine, log, connections);
      host.awaitAgent();
      return host;
    } catch (IOException e) {
      throw StorageException.io("virtual machine", e);
    }
  }

  private void awaitAgent() throws StorageException {
    try {
      String unused = check(ProgramCall.of(BOOT, List.of("/bin/true")));
    } catch (StorageException e) {
      kill();
      throw e;
    }
  }

  private static Path program() throws StorageException {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path program = at.resolve("libexec/vm");
      if (Files.isExecutable(program)) {
        return program;
      }
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "libexec/vm: run the test in a folder of the source tree");
  }

  private static String agent() throws IOException {
    try (InputStream text = VmHost.class.getResourceAsStream("agent.pl")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Caches the paths of programs, because each search needs a process in the machine. */
  @Override
  public Optional<Path> find(String program) throws StorageException {
    Path known = programs.get(program);
    if (known != null) {
      return Optional.of(known);
    }
    ProgramResult found =
        VmFiles.shell(
            this,
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin;"
                + " for d in $(echo $PATH | tr : ' '); do"
                + " if [ -x \"$d/$1\" ]; then echo \"$d/$1\"; exit 0; fi; done; exit 1",
            program);
    if (found.exitCode() != 0) {
      return Optional.empty();
    }
    programs.put(program, Path.of(found.output()));
    return Optional.of(Path.of(found.output()));
  }

  @Override
  public ProgramResult run(ProgramCall call) throws StorageException {
    try (AgentConnection connection = take(call.timeout())) {
      return connection.run(call);
    }
  }

  @Override
  public HostProcess start(List<String> command) throws StorageException {
    return take(BOOT).start(command);
  }

  @Override
  public HostFiles files() {
    return files;
  }

  private AgentConnection take(Duration patience) throws StorageException {
    Optional<AgentConnection> connection = connections.take(patience, machine::isAlive);
    if (connection.isEmpty()) {
      throw new StorageException(ErrorCode.UNREACHABLE, "virtual machine: no answer: " + output());
    }
    return connection.get();
  }

  private String output() {
    try {
      return Files.readString(log).strip();
    } catch (IOException e) {
      return "its log cannot be read: " + e.getMessage();
    }
  }

  /**
   * Cuts the power of the machine: data that is not on its disks is lost, and the host stops
   * answering.
   */
  public void kill() {
    machine.descendants().forEach(ProcessHandle::destroyForcibly);
    awaitOff();
    connections.close();
  }

  /** Closes the machine, after the agent was notified. */
  @Override
  public void close() throws StorageException {
    connections.close();
    awaitOff();
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw StorageException.io(log.toString(), e);
    }
  }

  private void awaitOff() {
    try {
      if (!machine.waitFor(OFF.toSeconds(), TimeUnit.SECONDS)) {
        machine.descendants().forEach(ProcessHandle::destroyForcibly);
        machine.destroy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      machine.destroy();
    }
  }
}
