package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.StateDirectory;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The paths of the initiators on this node, as mounts and the CSI driver use them. */
@Component(service = InitiatorPaths.class)
public final class InitiatorPaths implements HostPaths {
  private final HostState connections;
  private final List<InitiatorProvider> providers = new CopyOnWriteArrayList<>();
  private final HostInitiators initiators = new HostInitiators(this::installed);

  /**
   * Creates an object without initiators.
   *
   * @param context has {@code holdfast.data}
   */
  @Activate
  public InitiatorPaths(BundleContext context) {
    this.connections = new HostState(StateDirectory.of(context::getProperty).resolve("initiators"));
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addProvider(InitiatorProvider provider) {
    providers.add(provider);
  }

  void removeProvider(InitiatorProvider provider) {
    providers.remove(provider);
  }

  private List<Initiator> installed() {
    return providers.stream()
        .flatMap(provider -> provider.initiators(connections).stream())
        .toList();
  }

  @Override
  public boolean canChange(String volume, URI endpoint) throws StorageException {
    return initiators.keepsDevice(volume, endpoint);
  }

  @Override
  public void connect(String volume, List<URI> endpoints) throws StorageException {
    initiators.connectPaths(volume, endpoints);
  }
}
