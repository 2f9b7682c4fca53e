package dev.holdfast.engine.spdk.simulator;

import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.error.StorageException;
import dev.holdfast.jsonrpc.JsonRpcClient;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;

/**
 * Simulated targets of one test by name, each with a client. Files that calls name are below one
 * folder.
 */
final class SimulatedNodes implements AutoCloseable {
  private final Path folder;
  private final Fabric fabric = new Fabric();
  private final Map<String, SimulatedTarget> targets = new HashMap<>();
  private final Map<String, JsonRpcClient> clients = new HashMap<>();

  SimulatedNodes(Path folder) {
    this.folder = folder;
  }

  Fabric fabric() {
    return fabric;
  }

  Path file(String name) {
    return folder.resolve(name.startsWith("/") ? name.substring(1) : name);
  }

  /** Makes a file of zeroes that takes no space. */
  void disk(String name, long size) throws IOException {
    Files.createDirectories(file(name).getParent());
    try (RandomAccessFile file = new RandomAccessFile(file(name).toFile(), "rw")) {
      file.setLength(size);
    }
  }

  /** Makes a key file that only its owner can read, or another mode. */
  void key(String name, String secret, String mode) throws IOException {
    Files.createDirectories(file(name).getParent());
    Files.writeString(file(name), secret);
    Files.setPosixFilePermissions(file(name), PosixFilePermissions.fromString(mode));
  }

  Path socket(String name) {
    return folder.resolve(name + ".sock");
  }

  SimulatedTarget start(String name) throws IOException, StorageException {
    SimulatedTarget target = SimulatedTarget.start(socket(name), fabric, this::file);
    targets.put(name, target);
    clients.put(name, JsonRpcClient.connect("target " + name, socket(name)));
    return target;
  }

  SimulatedTarget target(String name) {
    return targets.get(name);
  }

  JsonRpcClient client(String name) {
    return clients.get(name);
  }

  void kill(String name) throws IOException {
    clients.remove(name).close();
    targets.remove(name).kill();
  }

  @Override
  public void close() throws IOException {
    clients.values().forEach(JsonRpcClient::close);
    for (SimulatedTarget target : targets.values()) {
      target.close();
    }
    fabric.close();
  }
}
