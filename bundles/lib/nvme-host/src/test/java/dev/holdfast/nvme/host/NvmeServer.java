package dev.holdfast.nvme.host;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Our NVMe/TCP frontend behind a portal on a free port. */
final class NvmeServer implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final SocketPortal portal;

  NvmeServer() throws StorageException {
    portal =
        new SocketPortal(
            new PortalSettings(
                name -> name.equals("holdfast.nvmeof.port") ? Optional.of("0") : Optional.empty()));
    portal.arrived(new NvmeofFrontend());
  }

  /** Publishes a device and returns its address for hosts. */
  NvmeTarget publish(String name, BlockDevice device) throws StorageException {
    PublishedExport export = portal.publish("nvmeof", name, device);
    URI endpoint = export.endpoint();
    return target(
        new InetSocketAddress(endpoint.getHost(), endpoint.getPort()),
        endpoint.getPath().substring(1),
        LIMIT);
  }

  static NvmeTarget target(InetSocketAddress address, String subsystem, Duration limit) {
    UUID id = new UUID(1, 2);
    return new NvmeTarget(
        address, subsystem, 1, "nqn.2014-08.org.nvmexpress:uuid:" + id, id, limit);
  }

  @Override
  public void close() {
    portal.close();
  }
}
