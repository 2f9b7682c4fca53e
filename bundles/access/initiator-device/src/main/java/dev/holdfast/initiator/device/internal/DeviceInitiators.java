package dev.holdfast.initiator.device.internal;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.time.Duration;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The initiator for existing devices. Stateless. */
@Component(service = InitiatorProvider.class)
public final class DeviceInitiators implements InitiatorProvider {
  /** Called by the container and the service loader. */
  public DeviceInitiators() {}

  @Override
  public List<Initiator> initiators(HostState state) {
    return List.of(new PresentDevice(state, SysfsDevices.INSTANCE, Duration.ofSeconds(10)));
  }
}
