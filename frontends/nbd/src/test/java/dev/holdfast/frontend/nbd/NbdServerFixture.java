package dev.holdfast.frontend.nbd;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A portal with NBD on a free port. */
final class NbdServerFixture implements AutoCloseable {
  private final SocketPortal portal;

  private NbdServerFixture(SocketPortal portal) {
    this.portal = portal;
  }

  static NbdServerFixture start() throws StorageException {
    return start(Map.of());
  }

  /** With a directory below which {@code tls/} holds the certificate. */
  static NbdServerFixture withTls(Path data, String mode) throws StorageException {
    return start(Map.of("holdfast.data", data.toString(), "holdfast.nbd.tls", mode));
  }

  private static NbdServerFixture start(Map<String, String> properties) throws StorageException {
    SocketPortal portal =
        new SocketPortal(
            new PortalSettings(
                name ->
                    name.equals("holdfast.nbd.port")
                        ? Optional.of("0")
                        : Optional.ofNullable(properties.get(name))));
    portal.arrived(new NbdFrontend());
    return new NbdServerFixture(portal);
  }

  URI publish(String export, BlockDevice device) throws StorageException {
    return portal.publish("nbd", export, device).endpoint();
  }

  @Override
  public void close() {
    portal.close();
  }
}
