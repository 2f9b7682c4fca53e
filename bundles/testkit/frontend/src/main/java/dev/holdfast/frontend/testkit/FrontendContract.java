package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import dev.holdfast.rule.testkit.NamedRules;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Base of all contracts: a portal on a free port with the frontend. */
@ExtendWith(NamedRules.class)
@Timeout(60)
abstract class FrontendContract {
  /** Size of the usual test device. */
  static final int SIZE = 8 << 20;

  private static final long PATIENCE_SECONDS = 20;

  /** Shorter than the limit of a test, so that the message names the unfulfilled condition. */
  private static final long LIMIT_SECONDS = 50;

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

  /** Starts the test's portal with properties in addition to the port. */
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

  /** Waits for an answer with a time limit. */
  static <T> T get(CompletableFuture<T> answer) throws Exception {
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(
          "expected a reply to the request, found none after " + PATIENCE_SECONDS + " s", e);
    }
  }

  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Waits until a device holds a number of requests. */
  static void awaitHeld(HeldBlockDevice device, int requests) {
    awaitThat(
        () -> device.waiting() >= requests,
        () -> "expected " + requests + " requests at the device, found " + device.waiting());
  }

  /** Waits until a condition holds; otherwise fails with the message. */
  static void awaitThat(BooleanSupplier condition, Supplier<String> otherwise) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(otherwise.get() + " after " + LIMIT_SECONDS + " s");
      }
      Thread.onSpinWait();
    }
  }
}
