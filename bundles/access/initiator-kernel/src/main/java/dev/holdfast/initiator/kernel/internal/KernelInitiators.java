package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The kernel's own initiators for iSCSI and NVMe/TCP. Stateless. */
@Component(service = InitiatorProvider.class)
public final class KernelInitiators implements InitiatorProvider {
  /** Made by the container, and by the service loader. */
  public KernelInitiators() {}

  @Override
  public List<Initiator> initiators(HostState state) {
    return List.of(
        new KernelInitiator(new IscsiSessions(), state),
        new NvmeInitiator(new NvmeControllers(), state));
  }

  /** Returns what ends half-made connections of each kind. */
  static List<KernelInitiator> all(HostState state) {
    return List.of(
        new KernelInitiator(new IscsiSessions(), state),
        new KernelInitiator(new NvmeControllers(), state));
  }
}
