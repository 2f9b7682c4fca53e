package dev.holdfast.snapshot.internal;

import dev.holdfast.datapath.StateDirectory;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.initiator.MountTable;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * Mounts of the filesystems of volumes on this node, found by the devices that its initiators made.
 * Devices above such a device count too: partitions, and devices of the device mapper, which
 * encrypts. Thread-safe.
 */
@Component(service = VolumeMounts.class)
public final class VolumeMounts {
  private static final Path DEVICES = Path.of("/sys/class/block");

  private final HostState connections;
  private final List<InitiatorProvider> providers = new CopyOnWriteArrayList<>();

  /** Creates an object that searches the devices of this node's initiators. */
  @Activate
  public VolumeMounts(BundleContext context) {
    this(StateDirectory.of(context::getProperty));
  }

  VolumeMounts(Path data) {
    this.connections = new HostState(data.resolve("initiators"));
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addProvider(InitiatorProvider provider) {
    providers.add(provider);
  }

  void removeProvider(InitiatorProvider provider) {
    providers.remove(provider);
  }

  /**
   * Returns the mounts of a volume's filesystems that this process sees; none if the volume is not
   * mounted on this node.
   *
   * @throws StorageException IO
   */
  List<MountTable.Mount> of(String volume) throws StorageException {
    Set<String> numbers = new TreeSet<>();
    for (InitiatorProvider provider : providers) {
      for (Initiator initiator : provider.initiators(connections)) {
        Optional<String> device =
            initiator.find(volume).map(InitiatorConnection::device).filter(name -> !name.isEmpty());
        if (device.isPresent()) {
          addNumbers(BlockDevices.name(device.get()), numbers);
        }
      }
    }
    return ofDevices(numbers);
  }

  /** Returns the mounts of devices by their numbers, such as {@code 7:0}. */
  List<MountTable.Mount> ofDevices(Collection<String> numbers) throws StorageException {
    return MountTable.read().mounts().stream()
        .filter(mount -> numbers.contains(mount.deviceNumber()))
        .toList();
  }

  private static void addNumbers(String name, Set<String> numbers) throws StorageException {
    Path device = DEVICES.resolve(name);
    Optional<String> number = BlockDevices.attribute(device.resolve("dev"));
    if (number.isEmpty() || !numbers.add(number.get())) {
      return;
    }
    for (String above : BlockDevices.entries(device.resolve("holders"), "*")) {
      addNumbers(above, numbers);
    }
    for (String part : BlockDevices.entries(device, name + "*")) {
      if (BlockDevices.attribute(device.resolve(part).resolve("partition")).isPresent()) {
        addNumbers(part, numbers);
      }
    }
  }
}
