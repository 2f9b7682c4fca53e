package dev.holdfast.cli;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;

/** Opens the store behind a kubeconfig. */
interface StoreConnector {

  /** Connects with the kubeconfig of the node. */
  Session connect(Path kubeconfig) throws StorageException;

  /**
   * An open store.
   *
   * @param store the store
   * @param cluster members of the cluster
   * @param server address and port of the API behind it
   * @param closing action that ends the session
   */
  record Session(ResourceStore store, ClusterAccess cluster, String server, Runnable closing)
      implements AutoCloseable {
    @Override
    public void close() {
      closing.run();
    }
  }
}
