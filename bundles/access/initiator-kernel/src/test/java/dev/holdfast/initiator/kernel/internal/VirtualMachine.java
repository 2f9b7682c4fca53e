package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.io.File;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.platform.launcher.Launcher;

/** Serves a volume here and runs a test class on it in a virtual machine. */
final class VirtualMachine {
  private static final String HOST = "10.0.2.2"; // what this machine is to the guest

  private VirtualMachine() {}

  /** Runs it and returns what it printed; it must have passed. */
  static String run(FrontendProvider frontend, Class<?> tests, Path folder, String... options)
      throws Exception {
    return run(frontend, List.of(tests), Map.of(), folder, options);
  }

  /** Starts a portal that the guest reaches. */
  static SocketPortal portal(FrontendProvider frontend) {
    return portal(frontend, Map.of());
  }

  /** Starts a portal that the guest reaches, with further properties. */
  static SocketPortal portal(FrontendProvider frontend, Map<String, String> properties) {
    Map<String, String> settings = new TreeMap<>(properties);
    settings.put(frontend.portProperty(), "0");
    settings.put("holdfast.advertised.address", HOST);
    try {
      SocketPortal portal =
          new SocketPortal(new PortalSettings(name -> Optional.ofNullable(settings.get(name))));
      portal.arrived(frontend);
      return portal;
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs several classes in one guest, with further variables of its environment. */
  static String run(
      FrontendProvider frontend,
      List<Class<?>> tests,
      Map<String, String> variables,
      Path folder,
      String... options)
      throws Exception {
    try (SocketPortal portal = portal(frontend)) {
      URI endpoint =
          portal
              .publish(frontend.name(), "contract", new MemoryBlockDevice((int) GuestFixture.BYTES))
              .endpoint();
      Map<String, String> environment = new TreeMap<>(variables);
      environment.put(GuestFixture.ENDPOINT, endpoint.toString());
      return run(environment, tests, folder, options);
    }
  }

  private static String run(
      Map<String, String> environment, List<Class<?>> tests, Path folder, String... options)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of("../../../libexec/vm").toAbsolutePath().normalize().toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-m", "1536"));
    environment.forEach((name, value) -> command.addAll(List.of("-e", name + "=" + value)));
    command.add("--");
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("-cp", classPath()));
    command.add(GuestTests.class.getName());
    tests.forEach(test -> command.add(test.getName()));
    Path log = folder.resolve("vm.log");
    Process guest =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    guest.getOutputStream().close();
    try {
      assertThat(guest.waitFor(10, TimeUnit.MINUTES)).as(Files.readString(log)).isTrue();
    } finally {
      guest.descendants().forEach(ProcessHandle::destroy);
      guest.destroy();
    }
    String said = Files.readString(log);
    assertThat(guest.exitValue()).as(said).isZero();
    return said;
  }

  // A build tool may omit the launcher from the class path that it reports.
  private static String classPath() throws URISyntaxException {
    Path launcher =
        Path.of(Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return System.getProperty("java.class.path") + File.pathSeparator + launcher;
  }
}
