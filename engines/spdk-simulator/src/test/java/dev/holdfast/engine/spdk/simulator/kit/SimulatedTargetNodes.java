package dev.holdfast.engine.spdk.simulator.kit;

import dev.holdfast.engine.spdk.simulator.SimulatedTarget;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.jsonrpc.JsonRpcClient;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Simulated targets in this process. */
final class SimulatedTargetNodes implements TargetNodes {
  private final Path folder;
  private final Fabric fabric = new Fabric();
  private final Map<String, SimulatedTarget> targets = new HashMap<>();
  private final Map<String, JsonRpcClient> clients = new HashMap<>();

  SimulatedTargetNodes(Path folder) {
    this.folder = folder;
  }

  @Override
  public void start(String name) throws Exception {
    Path socket = folder.resolve(name + ".sock");
    targets.put(name, SimulatedTarget.start(socket, fabric, Path::of));
    clients.put(name, JsonRpcClient.connect("simulated " + name, socket));
  }

  @Override
  public void kill(String name) throws Exception {
    clients.remove(name).close();
    targets.remove(name).kill();
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
    return fabric.freePort();
  }

  @Override
  public void stop() throws Exception {
    clients.values().forEach(JsonRpcClient::close);
    for (SimulatedTarget target : targets.values()) {
      target.close();
    }
    fabric.close();
  }
}
