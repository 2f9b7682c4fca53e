package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The two methods for a device over NBD. Stateless. */
@Component(service = InitiatorProvider.class)
public final class NbdInitiators implements InitiatorProvider {
  /** Called by the container and the service loader. */
  public NbdInitiators() {}

  @Override
  public List<Initiator> initiators(HostState state) {
    return List.of(
        new DaemonInitiator(new KernelDevice(), state),
        new DaemonInitiator(new FuseLoopDevice(), state));
  }
}
