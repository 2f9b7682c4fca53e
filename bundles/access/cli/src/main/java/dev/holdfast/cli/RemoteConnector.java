package dev.holdfast.cli;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.remote.ApiConnection;
import dev.holdfast.store.remote.RemoteCluster;
import dev.holdfast.store.remote.RemoteResourceStore;
import java.nio.file.Path;

/** Opens the store behind the API of a running node. */
final class RemoteConnector implements StoreConnector {
  @Override
  public Session connect(Path kubeconfig) throws StorageException {
    ApiConnection connection = ApiConnection.ofKubeconfig(kubeconfig);
    RemoteResourceStore store = new RemoteResourceStore(connection);
    return new Session(
        store, new RemoteCluster(connection), connection.server().getAuthority(), store::close);
  }
}
