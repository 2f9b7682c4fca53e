package dev.holdfast.rpc;

import org.osgi.annotation.versioning.ProviderType;

/** The server for calls of other nodes, as far as others have to know it. */
@ProviderType
public interface NodeRpcServer {
  /** The name of its port in {@code Node.status.ports}, and of the property with its number. */
  String PORT = "rpc";

  /** Returns the port that it listens on. */
  int port();
}
