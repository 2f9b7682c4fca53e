package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Serves a file over NBD for measurements until it is killed: {@code SpeedServer FILE PORT}. */
final class SpeedServer {
  private SpeedServer() {}

  public static void main(String[] arguments) throws Exception {
    PortalSettings settings =
        new PortalSettings(
            name ->
                name.equals("holdfast.nbd.port") ? Optional.of(arguments[1]) : Optional.empty());
    try (SocketPortal portal = new SocketPortal(settings);
        FileBlockDevice device = FileBlockDevice.open(Path.of(arguments[0]))) {
      portal.arrived(new NbdFrontend());
      System.out.println(portal.publish("nbd", "v", device).endpoint());
      new CountDownLatch(1).await();
    }
  }
}
