package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.upgrade.ReplaceableParts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.startlevel.FrameworkStartLevel;

/** Base of tests with a real framework and the upgrader's component. */
abstract class UpgradeFixture {
  static final String PLUGIN = "dev.holdfast.attacher.test";
  private static final int KARAF_START_LEVEL = 100;
  private static final long LIMIT_NANOS = 60_000_000_000L;

  @TempDir Path folder;

  /** Null after a test has deactivated it. */
  UpgradeComponent upgrades;

  private Framework framework;
  private int requests;

  /** Returns the probation of a new bundle in seconds. */
  String probation() {
    return "0";
  }

  @BeforeEach
  void start() throws Exception {
    framework =
        ServiceLoader.load(FrameworkFactory.class)
            .findFirst()
            .orElseThrow()
            .newFramework(
                Map.of(
                    "org.osgi.framework.storage",
                    folder.resolve("cache").toString(),
                    "holdfast.data",
                    folder.resolve("data").toString(),
                    "holdfast.upgrade.repositories",
                    folder.resolve("shared").toString(),
                    "holdfast.upgrade.patience.seconds",
                    "2",
                    "holdfast.upgrade.probation.seconds",
                    probation()));
    framework.start();
    upgrades = new UpgradeComponent(context());
  }

  @AfterEach
  void stop() throws Exception {
    if (upgrades != null) {
      upgrades.deactivate();
    }
    framework.stop();
    framework.waitForStop(0);
  }

  /** Starts bundles of all start levels, like Karaf. */
  final void raiseStartLevel() throws InterruptedException {
    CountDownLatch raised = new CountDownLatch(1);
    framework
        .adapt(FrameworkStartLevel.class)
        .setStartLevel(
            KARAF_START_LEVEL,
            event -> {
              if (event.getType() == FrameworkEvent.STARTLEVEL_CHANGED) {
                raised.countDown();
              }
            });
    raised.await();
  }

  final BundleContext context() {
    return framework.getBundleContext();
  }

  final Bundle install(TestJar jar) throws Exception {
    Path file = jar.in(folder);
    try (InputStream in = Files.newInputStream(file)) {
      Bundle bundle = context().installBundle(file.toUri().toString(), in);
      bundle.start();
      return bundle;
    }
  }

  /** Submits a request without waiting; returns its id. */
  final String submit(UpgradeRequest.Action action, String source) {
    String id = "request-" + ++requests;
    upgrades.submit(new UpgradeRequest(id, action, source, false));
    return id;
  }

  final Operation request(UpgradeRequest.Action action, String source) {
    return outcome(submit(action, source));
  }

  final Operation outcome(String id) {
    await(() -> upgrades.hasEnded(id));
    return upgrades.operations().stream()
        .filter(one -> one.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  final Operation upgrade(TestJar jar) throws IOException {
    return request(UpgradeRequest.Action.APPLY, jar.in(folder).toString());
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("time is over").isNegative();
      Thread.onSpinWait();
    }
  }

  final List<String> versions() {
    return versions(PLUGIN);
  }

  final List<String> versions(String symbolicName) {
    return Arrays.stream(context().getBundles())
        .filter(bundle -> symbolicName.equals(bundle.getSymbolicName()))
        .filter(bundle -> bundle.getState() == Bundle.ACTIVE)
        .map(bundle -> bundle.getVersion().toString())
        .sorted()
        .toList();
  }

  /**
   * Registers a mover whose sessions the highest version of the plugin serves, except a broken one.
   */
  final void mover(String broken) {
    var unused =
        context()
            .registerService(
                ReplaceableParts.class, new FakeMover(context(), PLUGIN, broken), null);
  }
}
