package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The kernel's initiators for iSCSI and NVMe/TCP. Stateless. */
@Component(service = InitiatorProvider.class)
public final class KernelInitiators implements InitiatorProvider {
  /** Called by the container and the service loader. */
  public KernelInitiators() {}

  @Override
  public List<Initiator> initiators(HostState state) {
    return List.of(
        new KernelInitiator(new IscsiSessions(), state),
        new NvmeInitiator(new NvmeControllers(), state));
  }

  /** Returns the initiators that remove incomplete connections of each kind. */
  static List<KernelInitiator> all(HostState state) {
    return List.of(
        new KernelInitiator(new IscsiSessions(), state),
        new KernelInitiator(new NvmeControllers(), state));
  }
}
