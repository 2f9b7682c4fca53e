package dev.holdfast.csi.internal;

import dev.holdfast.csi.internal.controller.ControllerService;
import dev.holdfast.csi.internal.node.NodeService;
import dev.holdfast.csi.internal.node.StagedVolumes;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.csi.internal.server.DriverSettings;
import dev.holdfast.csi.internal.server.IdentityService;
import dev.holdfast.csi.internal.server.InFlightCalls;
import dev.holdfast.csi.internal.server.KubeletRegistration;
import dev.holdfast.csi.internal.server.RegistrationSocket;
import dev.holdfast.csi.internal.server.UnixServer;
import dev.holdfast.csi.internal.snapshot.GroupControllerService;
import dev.holdfast.csi.internal.snapshot.SnapshotMetadataService;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.store.ResourceStore;
import io.grpc.BindableService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the driver at the socket {@code holdfast.csi.socket} while the store and an initiator are
 * registered; without that property it does nothing. Initiators may change while it serves, because
 * a restart would end running calls.
 */
@Component(service = DriverComponent.class, immediate = true)
public final class DriverComponent {
  private static final Logger LOG = LoggerFactory.getLogger(DriverComponent.class);

  private static final long FIRST_PAUSE_MILLIS = 1000;

  private final DriverSettings settings;
  private final Host host;
  private final ResourceStore store;
  private final HostState connections;
  private final String version;
  private final List<InitiatorProvider> providers = new CopyOnWriteArrayList<>();

  /** Actions that stop the servers, in the order of their start. */
  private final List<Runnable> endings = new ArrayList<>();

  /** Reads the settings. */
  @Activate
  public DriverComponent(
      BundleContext context,
      @Reference Host host,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) ResourceStore store)
      throws StorageException {
    this(
        DriverSettings.read(context::getProperty),
        host,
        store,
        context.getBundle().getVersion().toString());
  }

  DriverComponent(DriverSettings settings, Host host, ResourceStore store, String version) {
    this.settings = settings;
    this.host = host;
    this.store = store;
    this.connections = new HostState(settings.data().resolve("initiators"));
    this.version = version;
  }

  @Reference(cardinality = ReferenceCardinality.AT_LEAST_ONE, policy = ReferencePolicy.DYNAMIC)
  void addProvider(InitiatorProvider provider) {
    providers.add(provider);
  }

  void removeProvider(InitiatorProvider provider) {
    providers.remove(provider);
  }

  private List<Initiator> initiators() {
    return providers.stream()
        .flatMap(provider -> provider.initiators(connections).stream())
        .toList();
  }

  /** Starts the driver after an initiator was bound. */
  @Activate
  void start() throws StorageException {
    if (settings.socket().isEmpty()) {
      return;
    }
    try {
      serve();
    } catch (StorageException e) {
      stop();
      throw e;
    }
  }

  private void serve() throws StorageException {
    Path socket = settings.socket().orElseThrow();
    StagedVolumes staged = new StagedVolumes(new HostState(settings.data().resolve("csi")));
    InFlightCalls claims = new InFlightCalls();
    List<BindableService> services =
        List.of(
            new IdentityService(store, settings.node(), version),
            new ControllerService(store, claims, settings.mostVolumes()),
            new GroupControllerService(store, claims),
            new SnapshotMetadataService(store, claims),
            new NodeService(
                host,
                store,
                settings.node(),
                new HostInitiators(this::initiators),
                staged,
                settings.mostVolumes()));
    endings.add(UnixServer.start(socket, services)::close);
    LOG.info("{} is served at {}", CsiNames.DRIVER, socket);
    if (settings.registration().isPresent()) {
      Path registration = settings.registration().get().resolve(KubeletRegistration.SOCKET);
      endings.add(
          RegistrationSocket.open(registration, settings.kubeletSocket(), FIRST_PAUSE_MILLIS)
              ::close);
      LOG.info("{} registers with the kubelet at {}", CsiNames.DRIVER, registration);
    }
  }

  /**
   * Stops the driver: first removes the kubelet's socket, so that the kubelet sends no further
   * calls.
   */
  @Deactivate
  public void stop() {
    for (int i = endings.size() - 1; i >= 0; i--) {
      endings.get(i).run();
    }
    endings.clear();
  }
}
