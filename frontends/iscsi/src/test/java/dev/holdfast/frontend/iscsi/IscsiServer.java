package dev.holdfast.frontend.iscsi;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import dev.holdfast.upgrade.ServingBundle;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A portal with iSCSI on a free port. */
final class IscsiServer implements AutoCloseable {
  private final SocketPortal portal;

  private IscsiServer(SocketPortal portal) {
    this.portal = portal;
  }

  static IscsiServer start() throws StorageException {
    return start(Optional.empty(), Map.of());
  }

  static IscsiServer start(Optional<Path> secrets, Map<String, String> properties)
      throws StorageException {
    SocketPortal portal =
        new SocketPortal(
            new PortalSettings(
                name ->
                    name.equals("holdfast.iscsi.port")
                        ? Optional.of("0")
                        : Optional.ofNullable(properties.get(name))));
    portal.arrived(new IscsiFrontend(secrets));
    return new IscsiServer(portal);
  }

  /** Installs another version of the frontend. */
  void arrived(FrontendProvider version, int number) {
    portal.arrived(version, "1." + number, number);
  }

  void left(FrontendProvider version) {
    portal.left(version);
  }

  /** Waits until a version of the frontend serves at least this many connections. */
  void awaitServedAtLeast(int number, int connections) {
    while (portal.parts().stream()
            .flatMap(part -> part.bundles().stream())
            .filter(serving -> serving.id() == number)
            .mapToInt(ServingBundle::served)
            .sum()
        < connections) {
      Thread.onSpinWait();
    }
  }

  URI publish(String export, BlockDevice device) throws StorageException {
    return portal.publish("iscsi", export, device).endpoint();
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
