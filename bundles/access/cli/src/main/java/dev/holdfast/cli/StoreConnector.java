package dev.holdfast.cli;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;

/** Opens the store behind a kubeconfig. */
interface StoreConnector {

  /** Connects by the file that the node wrote. */
  Session connect(Path kubeconfig) throws StorageException;

  /**
   * An open store.
   *
   * @param store to work with
   * @param cluster members of the cluster
   * @param server address and port of the API behind it
   * @param closing what ends the session
   */
  record Session(ResourceStore store, ClusterAccess cluster, String server, Runnable closing)
      implements AutoCloseable {
    @Override
    public void close() {
      closing.run();
    }
  }
}
