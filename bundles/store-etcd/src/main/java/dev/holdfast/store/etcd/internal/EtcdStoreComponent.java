package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the etcd that {@code holdfast.etcd.endpoints} names as the store. It is there whether etcd
 * answers or not: who asks meanwhile is told UNREACHABLE and asks again.
 */
@Component(
    name = EtcdStoreComponent.NAME,
    enabled = false,
    immediate = true,
    property = "holdfast.store=etcd",
    service = ResourceStore.class)
public final class EtcdStoreComponent extends ForwardingResourceStore {
  static final String NAME = "dev.holdfast.store.etcd";
  private static final Logger LOG = LoggerFactory.getLogger(EtcdStoreComponent.class);

  private final EtcdResourceStore store;

  /** Reads the settings; does not connect. */
  @Activate
  public EtcdStoreComponent(BundleContext context) throws StorageException {
    this(open(context));
  }

  private EtcdStoreComponent(EtcdResourceStore store) {
    super(store);
    this.store = store;
  }

  private static EtcdResourceStore open(BundleContext context) throws StorageException {
    EtcdSettings settings = EtcdSettings.read(context::getProperty);
    LOG.info("using the etcd at {} as the resource store", settings.endpoints());
    return new EtcdResourceStore(
        new EtcdConnection(settings), settings.prefix(), Clock.systemUTC());
  }

  @Deactivate
  void deactivate() {
    store.close();
  }
}
