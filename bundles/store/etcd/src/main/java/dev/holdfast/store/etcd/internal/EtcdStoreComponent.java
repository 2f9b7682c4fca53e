package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.SharedSecrets;
import java.time.Clock;
import java.util.Map;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides the etcd cluster of {@code holdfast.etcd.endpoints} as the store. The service exists
 * even while etcd does not answer: callers then get UNREACHABLE and retry.
 */
@Component(
    name = EtcdStoreComponent.NAME,
    enabled = false,
    immediate = true,
    property = "holdfast.store=etcd",
    service = {ResourceStore.class, SharedSecrets.class})
public final class EtcdStoreComponent extends ForwardingResourceStore implements SharedSecrets {
  static final String NAME = "dev.holdfast.store.etcd";
  private static final Logger LOG = LoggerFactory.getLogger(EtcdStoreComponent.class);

  private final EtcdResourceStore store;
  private final SharedSecrets secrets;
  private final EtcdCompaction compaction;

  /** Reads the settings; does not connect. */
  @Activate
  public EtcdStoreComponent(BundleContext context) throws StorageException {
    this(EtcdSettings.read(context::getProperty));
  }

  private EtcdStoreComponent(EtcdSettings settings) throws StorageException {
    this(settings, new EtcdConnection(settings));
  }

  private EtcdStoreComponent(EtcdSettings settings, EtcdConnection connection) {
    this(
        new EtcdResourceStore(connection, settings.prefix(), Clock.systemUTC()),
        new EtcdSecrets(connection, settings.prefix()),
        new EtcdCompaction(connection, settings.prefix(), settings.history(), Clock.systemUTC()));
    LOG.info("using the etcd at {} as the resource store", settings.endpoints());
    if (settings.login().isPresent() && !settings.isSecure()) {
      LOG.warn("the password of etcd's user is sent in clear: use https");
    }
    if (!settings.history().isZero()) {
      compaction.start();
    }
  }

  private EtcdStoreComponent(
      EtcdResourceStore store, SharedSecrets secrets, EtcdCompaction compaction) {
    super(store);
    this.store = store;
    this.secrets = secrets;
    this.compaction = compaction;
  }

  @Override
  public Map<String, String> agree(String name, Map<String, String> offered)
      throws StorageException {
    return secrets.agree(name, offered);
  }

  @Deactivate
  void deactivate() {
    compaction.close();
    store.close();
  }
}
