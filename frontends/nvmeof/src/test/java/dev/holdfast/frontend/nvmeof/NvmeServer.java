package dev.holdfast.frontend.nvmeof;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.util.Map;
import java.util.Optional;

/** A portal with NVMe/TCP on a free port. */
final class NvmeServer implements AutoCloseable {
  private final SocketPortal portal;

  private NvmeServer(SocketPortal portal) {
    this.portal = portal;
  }

  static NvmeServer start() throws StorageException {
    return start(new NvmeofFrontend(), Map.of());
  }

  static NvmeServer start(NvmeofFrontend frontend, Map<String, String> properties)
      throws StorageException {
    SocketPortal portal =
        new SocketPortal(
            new PortalSettings(
                name ->
                    name.equals("holdfast.nvmeof.port")
                        ? Optional.of("0")
                        : Optional.ofNullable(properties.get(name))));
    portal.arrived(frontend);
    return new NvmeServer(portal);
  }

  PublishedExport publish(String export, BlockDevice device) throws StorageException {
    return portal.publish("nvmeof", export, device);
  }

  PublishedExport publish(String export, BlockDevice device, ExportStateStore store)
      throws StorageException {
    return portal.publish("nvmeof", export, device, store);
  }

  PublishedExport publish(String export, BlockDevice device, ExportPath path)
      throws StorageException {
    return portal.publish("nvmeof", export, device, new KeptTexts(), path);
  }

  /** Sets the directory of clients. */
  void knows(ClientDirectory clients) {
    portal.arrived(clients);
  }

  /** Sets the directory of exports of other nodes. */
  void knows(ExportDirectory directory) {
    portal.arrived(directory);
  }

  @Override
  public void close() {
    portal.close();
  }
}
