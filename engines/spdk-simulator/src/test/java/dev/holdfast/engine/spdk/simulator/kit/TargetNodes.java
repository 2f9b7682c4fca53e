package dev.holdfast.engine.spdk.simulator.kit;

import dev.holdfast.jsonrpc.JsonRpcClient;
import java.nio.file.Path;

/** The targets of one test by name, simulated or real. Files that calls name are in one folder. */
interface TargetNodes {
  /** Starts a target that does not run, and waits until it answers calls. */
  void start(String name) throws Exception;

  /** Ends a target as {@code kill -9} does. */
  void kill(String name) throws Exception;

  /** Returns the client of a target that runs. */
  JsonRpcClient client(String name);

  /** Returns the folder, an absolute path. */
  Path folder();

  /** Returns a port of the loopback interface that nothing else uses. */
  String freePort();

  /** Ends all targets and returns the ports. */
  void stop() throws Exception;
}
