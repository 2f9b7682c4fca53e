package dev.holdfast.engine.spdk.simulator.kit;

import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.error.StorageException;
import dev.holdfast.jsonrpc.JsonRpcClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Processes of a real {@code nvmf_tgt} without huge pages, each on a core of its own. */
final class RealTargetNodes implements TargetNodes {
  /** The environment variable that names the program. */
  static final String VARIABLE = "HOLDFAST_NVMF_TGT";

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  private final String program;
  private final Path folder;
  private final Fabric ports = new Fabric();
  private final Map<String, Process> processes = new HashMap<>();
  private final Map<String, JsonRpcClient> clients = new HashMap<>();

  RealTargetNodes(Path folder) {
    this.program = System.getenv(VARIABLE);
    this.folder = folder;
  }

  @Override
  public void start(String name) throws Exception {
    Path socket = folder.resolve(name + ".sock");
    int core = (name.charAt(0) - 'a') % Runtime.getRuntime().availableProcessors();
    List<String> command =
        List.of(
            program,
            "--no-huge",
            "-s",
            "512",
            "--no-pci",
            "-m",
            "0x" + Integer.toHexString(1 << core),
            "--disable-cpumask-locks",
            "-r",
            socket.toString());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve(name + ".log").toFile()))
            .start();
    processes.put(name, process);
    clients.put(name, connect(name, socket, process));
  }

  private static JsonRpcClient connect(String name, Path socket, Process process)
      throws IOException {
    long deadline = System.nanoTime() + PATIENCE;
    while (true) {
      try {
        return JsonRpcClient.connect("nvmf_tgt " + name, socket);
      } catch (StorageException e) {
        if (!process.isAlive() || System.nanoTime() - deadline > 0) {
          throw new IOException("nvmf_tgt " + name + " does not answer: see its log", e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  @Override
  public void kill(String name) throws Exception {
    clients.remove(name).close();
    processes.remove(name).destroyForcibly().waitFor();
  }

  @Override
  public JsonRpcClient client(String name) {
    return clients.get(name);
  }

  @Override
  public Path folder() {
    return folder;
  }

  @Override
  public String freePort() {
    return ports.freePort();
  }

  @Override
  public void stop() throws Exception {
    clients.values().forEach(JsonRpcClient::close);
    for (Process process : processes.values()) {
      process.destroyForcibly().waitFor();
    }
    ports.close();
  }
}
