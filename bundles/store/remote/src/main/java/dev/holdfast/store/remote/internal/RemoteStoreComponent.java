package dev.holdfast.store.remote.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.remote.ApiConnection;
import dev.holdfast.store.remote.MemberDirectory;
import dev.holdfast.store.remote.RemoteResourceStore;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides the store of the node in {@code <holdfast.data>/cluster/kubeconfig} as a service. The
 * service exists even while that node does not answer: callers then get UNREACHABLE and retry.
 */
@Component(
    name = RemoteStoreComponent.NAME,
    enabled = false,
    immediate = true,
    service = ResourceStore.class)
public final class RemoteStoreComponent extends ForwardingResourceStore {
  static final String NAME = "dev.holdfast.store.remote";
  private static final Logger LOG = LoggerFactory.getLogger(RemoteStoreComponent.class);

  private final RemoteResourceStore store;

  /** Reads the connection's settings; does not connect. */
  @Activate
  public RemoteStoreComponent(BundleContext context) throws StorageException {
    this(open(context));
  }

  private RemoteStoreComponent(RemoteResourceStore store) {
    super(store);
    this.store = store;
  }

  private static RemoteResourceStore open(BundleContext context) throws StorageException {
    String data = context.getProperty("holdfast.data");
    if (data == null || data.isBlank()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "the framework property holdfast.data is not set; it must name the directory of all"
              + " state");
    }
    Path directory = Path.of(data).toAbsolutePath();
    ApiConnection connection = ApiConnection.ofKubeconfig(directory.resolve("cluster/kubeconfig"));
    LOG.info("using the resource store behind {}", connection.server());
    Optional<Path> authorities = new MemberDirectory(directory).authorities();
    return authorities.isPresent()
        ? new RemoteResourceStore(connection, authorities.get())
        : new RemoteResourceStore(connection);
  }

  @Deactivate
  void deactivate() {
    store.close();
  }
}
