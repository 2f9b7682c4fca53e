package dev.holdfast.rpc;

import org.osgi.annotation.versioning.ProviderType;

/** The server for calls of other nodes. */
@ProviderType
public interface NodeRpcServer {
  /**
   * The name of the server's port in {@code Node.status.ports}, and of the property with the port
   * number.
   */
  String PORT = "rpc";

  /** Returns the port that it listens on. */
  int port();
}
