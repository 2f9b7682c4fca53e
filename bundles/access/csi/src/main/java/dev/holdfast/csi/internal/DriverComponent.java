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
import dev.holdfast.host.HostInitiators;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.store.ResourceStore;
import io.grpc.BindableService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the driver where {@code holdfast.csi.socket} says, while the store and the initiators are
 * there; without that property it does nothing.
 */
@Component(service = DriverComponent.class, immediate = true)
public final class DriverComponent {
  private static final Logger LOG = LoggerFactory.getLogger(DriverComponent.class);

  private static final long FIRST_PAUSE_MILLIS = 1000;

  /** Actions that end the servers, in the order in which they were started. */
  private final List<Runnable> endings = new ArrayList<>();

  /** Starts the driver. */
  @Activate
  public DriverComponent(
      BundleContext context,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) ResourceStore store,
      @Reference(
              policyOption = ReferencePolicyOption.GREEDY,
              cardinality = ReferenceCardinality.AT_LEAST_ONE)
          List<InitiatorProvider> providers)
      throws StorageException {
    DriverSettings settings = DriverSettings.read(context::getProperty);
    if (settings.socket().isEmpty()) {
      return;
    }
    HostState connections = new HostState(settings.data().resolve("initiators"));
    List<Initiator> initiators =
        providers.stream().flatMap(p -> p.initiators(connections).stream()).toList();
    try {
      start(settings, store, initiators, context.getBundle().getVersion().toString());
    } catch (StorageException e) {
      stop();
      throw e;
    }
  }

  private void start(
      DriverSettings settings, ResourceStore store, List<Initiator> initiators, String version)
      throws StorageException {
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
                store,
                settings.node(),
                new HostInitiators(initiators),
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

  /** Stops the driver: first the kubelet's socket goes, so that it asks no more. */
  @Deactivate
  public void stop() {
    for (int i = endings.size() - 1; i >= 0; i--) {
      endings.get(i).run();
    }
    endings.clear();
  }
}
