package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The two ways to a device over NBD. Stateless. */
@Component(service = InitiatorProvider.class)
public final class NbdInitiators implements InitiatorProvider {
  /** Made by the container, and by the service loader. */
  public NbdInitiators() {}

  @Override
  public List<Initiator> initiators(HostState state) {
    return List.of(
        new DaemonInitiator(new KernelDevice(), state),
        new DaemonInitiator(new FuseLoopDevice(), state));
  }
}
