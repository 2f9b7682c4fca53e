package dev.holdfast.engine.spdk.simulator.fabric;

import java.io.IOException;
import java.util.List;

/** An association of a host with a subsystem. Thread-safe. */
public interface FabricConnection {
  /** Returns the number of the controller. */
  int controllerId();

  /** Returns the name, model and state of the subsystem, never null. */
  FabricSubsystem subsystem();

  /**
   * Returns the namespaces now, never null.
   *
   * @throws IOException when the connection is lost
   */
  List<FabricNamespace> namespaces() throws IOException;

  /** Returns whether the target still has this association. */
  boolean isAlive();

  /** Ends the association. Idempotent. */
  void close();
}
