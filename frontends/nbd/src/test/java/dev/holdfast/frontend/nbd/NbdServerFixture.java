package dev.holdfast.frontend.nbd;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
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

  /** Serves with the owner's certificate in {@code data/tls}, if it exists. */
  static NbdServerFixture withTls(Path data, String mode) throws StorageException {
    SocketPortal portal = portal(Map.of("holdfast.nbd.tls", mode));
    Path tls = data.resolve("tls");
    if (Files.exists(tls.resolve("server.crt"))) {
      portal.arrived(TlsDirectory.prepare(tls, List.of("127.0.0.1"), Clock.systemUTC()));
    }
    return new NbdServerFixture(portal);
  }

  private static NbdServerFixture start(Map<String, String> properties) throws StorageException {
    return new NbdServerFixture(portal(properties));
  }

  private static SocketPortal portal(Map<String, String> properties) throws StorageException {
    SocketPortal portal =
        new SocketPortal(
            new PortalSettings(
                name ->
                    name.equals("holdfast.nbd.port")
                        ? Optional.of("0")
                        : Optional.ofNullable(properties.get(name))));
    portal.arrived(new NbdFrontend());
    return portal;
  }

  URI publish(String export, BlockDevice device) throws StorageException {
    return portal.publish("nbd", export, device).endpoint();
  }

  @Override
  public void close() {
    portal.close();
  }
}
