package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.links.LinkedDevice;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.engine.lvm.blobs.links.PoolLinks;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Links between simulated hosts. They end with their process, but their devices remain. */
final class SimulatedPoolLinks implements PoolLinks {
  private final SimulatedLvm host;
  private final Map<String, SimulatedLvm> hosts;

  SimulatedPoolLinks(SimulatedLvm host, Map<String, SimulatedLvm> hosts) {
    this.host = host;
    this.hosts = hosts;
  }

  /** An export of this process. */
  private record Export(SimulatedLvm host, String name, PoolAddress address) implements PoolExport {
    @Override
    public void close() {
      host.links().withdraw(name, address.generation());
    }
  }

  @Override
  public PoolExport export(Path device, String exportName, long generation)
      throws StorageException {
    try {
      host.links().export(device, exportName, generation);
    } catch (IOException e) {
      throw StorageException.io("export " + exportName, e);
    }
    return new Export(host, exportName, new PoolAddress(host.name(), "10.0.0.1", 1, generation));
  }

  @Override
  public LinkedDevice connect(PoolAddress address, String exportName) throws StorageException {
    try {
      String number =
          host.links().connect(exportName, hosts.get(address.node()), address.generation());
      return device(exportName, number);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.UNREACHABLE, e.getMessage(), e);
    }
  }

  private static LinkedDevice device(String name, String number) {
    return new LinkedDevice(Path.of("/dev/nbd" + number.substring(3)), number, name);
  }

  @Override
  public void reconnect(LinkedDevice device, PoolAddress address, String exportName)
      throws StorageException {
    LinkedDevice unused = connect(address, exportName);
  }

  @Override
  public void disconnect(LinkedDevice device) throws StorageException {
    try {
      host.links().disconnect(device.exportName());
    } catch (IOException e) {
      throw new StorageException(ErrorCode.BUSY, e.getMessage(), e);
    }
  }

  @Override
  public Optional<LinkedDevice> find(String exportName) {
    return Optional.ofNullable(host.links().connected().get(exportName))
        .map(number -> device(exportName, number));
  }

  @Override
  public Set<String> lost(Set<String> exportNames) {
    return exportNames.stream()
        .filter(host.links()::isLost)
        .collect(Collectors.toUnmodifiableSet());
  }
}
