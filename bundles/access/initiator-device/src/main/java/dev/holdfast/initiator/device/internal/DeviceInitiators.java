package dev.holdfast.initiator.device.internal;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.time.Duration;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The initiator for devices that are there already. Stateless. */
@Component(service = InitiatorProvider.class)
public final class DeviceInitiators implements InitiatorProvider {
  /** Made by the container, and by the service loader. */
  public DeviceInitiators() {}

  @Override
  public List<Initiator> initiators(HostState state) {
    return List.of(new PresentDevice(state, SysfsDevices.INSTANCE, Duration.ofSeconds(10)));
  }
}
