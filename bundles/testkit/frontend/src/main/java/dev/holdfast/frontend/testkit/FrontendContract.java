package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** The ground of all contracts: a portal on a free port with the frontend. */
@Timeout(60)
abstract class FrontendContract {
  /** Size of the usual test device. */
  static final int SIZE = 8 << 20;

  private static final long PATIENCE_SECONDS = 20;

  private final FrontendFixture fixture;
  private final FrontendProvider frontend;
  private Optional<SocketPortal> portal = Optional.empty();

  FrontendContract(FrontendFixture fixture) {
    this.fixture = fixture;
    this.frontend = fixture.frontend();
  }

  @AfterEach
  final void closePortal() {
    portal.ifPresent(SocketPortal::close);
  }

  final FrontendFixture fixture() {
    return fixture;
  }

  final FrontendProvider frontend() {
    return frontend;
  }

  final SocketPortal portal() throws StorageException {
    return portal(Map.of());
  }

  /** Starts the test's portal, with more properties than the port. */
  final SocketPortal portal(Map<String, String> properties) throws StorageException {
    if (portal.isEmpty()) {
      SocketPortal started =
          new SocketPortal(
              new PortalSettings(
                  name ->
                      name.equals(frontend.portProperty())
                          ? Optional.of("0")
                          : Optional.ofNullable(properties.get(name))));
      started.arrived(frontend);
      portal = Optional.of(started);
    }
    return portal.get();
  }

  final PublishedExport publish(String export, BlockDevice device) throws StorageException {
    return portal().publish(frontend.name(), export, device);
  }

  /** Waits for an answer, not for ever. */
  static <T> T get(CompletableFuture<T> answer) throws Exception {
    return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
