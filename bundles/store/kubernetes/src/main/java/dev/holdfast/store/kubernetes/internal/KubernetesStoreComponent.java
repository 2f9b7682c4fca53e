package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.access.UserCredential;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.secret.Secrets;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.SharedSecrets;
import dev.holdfast.store.StableServices;
import dev.holdfast.store.WorkloadAttachments;
import dev.holdfast.store.WorkloadObjects;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Version;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides the API server of a Kubernetes cluster as the store: the one of {@code
 * holdfast.kubernetes.kubeconfig}, else that of the pod's own cluster. The service exists even
 * while the server does not answer: callers then get UNREACHABLE and retry.
 */
@Component(
    name = KubernetesStoreComponent.NAME,
    enabled = false,
    immediate = true,
    property = "holdfast.store=kubernetes",
    service = {
      ClusterUsers.class,
      ResourceStore.class,
      Secrets.class,
      SettingDefinitions.class,
      SharedSecrets.class,
      StableServices.class,
      WorkloadAttachments.class,
      WorkloadObjects.class
    })
public final class KubernetesStoreComponent extends ForwardingResourceStore
    implements ClusterUsers,
        Secrets,
        SettingDefinitions,
        SharedSecrets,
        StableServices,
        WorkloadAttachments,
        WorkloadObjects {
  static final String NAME = "dev.holdfast.store.kubernetes";
  static final String KUBECONFIG = "holdfast.kubernetes.kubeconfig";
  static final String NAMESPACE = "holdfast.kubernetes.namespace";
  static final String NODE = "holdfast.node.name";

  private static final Logger LOG = LoggerFactory.getLogger(KubernetesStoreComponent.class);
  private static final long RETRY_SECONDS = 2;

  private final KubernetesResourceStore store;
  private final KubernetesSecrets secrets;
  private final WorkloadAttachments attachments;
  private final WorkloadObjects objects;
  private final KubernetesUsers users;
  private final StableServices services;
  private final NodeWatch nodeDown;
  private final NodeWatch cordon;
  private final NodeWatch claimLabels;
  private final NodeWatch movedShares;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Reads the settings; does not wait for the server. */
  @Activate
  public KubernetesStoreComponent(BundleContext context, @Reference KindCatalogue kinds)
      throws StorageException {
    this(
        connect(context),
        kinds,
        context.getBundle().getVersion(),
        setting(context, NODE).orElse(""));
  }

  private KubernetesStoreComponent(
      KubernetesConnection connection, KindCatalogue kinds, Version version, String node) {
    this(
        connection,
        new KubernetesResourceStore(connection, new ResourceJson(), Clock.systemUTC()),
        node,
        new KubernetesSecrets(connection, new ResourceJson()),
        new Installation(
            connection,
            new ResourceJson(),
            kinds,
            version.getMajor() + "." + version.getMinor() + "." + version.getMicro()),
        kinds);
    LOG.info(
        "using the API server {} as the resource store; leases in namespace {}",
        connection.server(),
        connection.namespace());
  }

  private KubernetesStoreComponent(
      KubernetesConnection connection,
      KubernetesResourceStore store,
      String node,
      KubernetesSecrets secrets,
      Installation installation,
      KindCatalogue kinds) {
    super(store);
    this.store = store;
    this.secrets = secrets;
    this.attachments = new KubernetesAttachments(connection);
    this.objects = new KubernetesObjects(connection, new ResourceJson());
    this.users = new KubernetesUsers(connection, System::nanoTime);
    this.services = new KubernetesServices(connection, new ResourceJson());
    Thread installer =
        new Thread(() -> install(installation, kinds), "store-kubernetes-definitions");
    installer.setDaemon(true);
    installer.start();
    this.nodeDown =
        NodeWatch.start(
            "node-down",
            "look after pods of nodes that are down",
            new NodeDownPods(connection, store, Clock.systemUTC(), node)::run);
    this.cordon =
        NodeWatch.start(
            "cordon",
            "read whether Kubernetes has the node cordoned",
            new KubernetesCordon(connection, store, node)::run);
    this.claimLabels =
        NodeWatch.start(
            "claim-labels",
            "read which recurring jobs claims select",
            new ClaimLabels(connection, store, node)::run);
    this.movedShares =
        NodeWatch.start(
            "moved-shares",
            "restart pods of shares that have moved",
            new MovedSharePods(connection, store, node)::run);
  }

  private static KubernetesConnection connect(BundleContext context) throws StorageException {
    return KubernetesConnection.open(
        setting(context, KUBECONFIG).map(Path::of),
        setting(context, NAMESPACE),
        new ResourceJson());
  }

  private static Optional<String> setting(BundleContext context, String name) {
    return Optional.ofNullable(context.getProperty(name)).filter(value -> !value.isBlank());
  }

  /** Installs the definitions, also after a kind was added. Logs a repeated failure once. */
  private void install(Installation installation, KindCatalogue kinds) {
    String told = "";
    List<ResourceKind<?>> installed = List.of();
    try {
      do {
        List<ResourceKind<?>> wanted = kinds.kinds();
        try {
          if (!wanted.equals(installed) && installation.run()) {
            installed = wanted;
          }
        } catch (StorageException e) {
          if (!told.equals(e.getMessage())) {
            told = e.getMessage();
            LOG.warn("the API server does not serve all kinds of Holdfast yet: {}", told);
          }
        }
      } while (!stopped.await(RETRY_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(PlatformSettings.NODE_DOWN_PODS, PlatformSettings.RESTART_MOVED_SHARES);
  }

  @Override
  public Map<String, String> agree(String name, Map<String, String> offered)
      throws StorageException {
    return secrets.agree(name, offered);
  }

  @Override
  public Optional<Map<String, byte[]>> read(String name) throws StorageException {
    return secrets.read(name);
  }

  @Override
  public Optional<UserCredential> known(String token) {
    return users.known(token);
  }

  @Override
  public Optional<UserCredential> review(String token) throws StorageException {
    return users.review(token);
  }

  @Override
  public AccessDecision decide(Caller caller, AccessRequest request) {
    return users.decide(caller, request);
  }

  @Override
  public List<Attached> of(String volume) throws StorageException {
    return attachments.of(volume);
  }

  @Override
  public List<String> kinds() {
    return objects.kinds();
  }

  @Override
  public Map<String, String> read(Volumes volumes) throws StorageException {
    return objects.read(volumes);
  }

  @Override
  public boolean create(String text, Map<String, String> mark, Volumes volumes)
      throws StorageException {
    return objects.create(text, mark, volumes);
  }

  @Override
  public Optional<String> direct(String name, String address, int port) throws StorageException {
    return services.direct(name, address, port);
  }

  @Override
  public void remove(String name) throws StorageException {
    services.remove(name);
  }

  @Deactivate
  void deactivate() {
    stopped.countDown();
    nodeDown.close();
    cordon.close();
    claimLabels.close();
    movedShares.close();
    store.close();
  }
}
