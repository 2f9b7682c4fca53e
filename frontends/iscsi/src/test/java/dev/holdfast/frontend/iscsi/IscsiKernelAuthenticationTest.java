package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** CHAP, one-way and mutual, checked by the kernel's own initiator. */
@Tag("soak")
@Timeout(600)
final class IscsiKernelAuthenticationTest {
  private static final String INITIATOR = "iqn.2026-01.test:kernel";
  private static final String SECRET = "the-initiators-secret";
  private static final String TARGET_SECRET = "the-targets-own-secret";
  private static final String WRONG = "nobodys-secret-at-all";

  @TempDir Path folder;

  @Test
  void rightSecretsAreServedAndWrongOnesRefused() throws Exception {
    Path secrets = folder.resolve("secrets");
    Files.writeString(
        secrets, String.join(" ", INITIATOR, "alice", SECRET, "holdfast", TARGET_SECRET) + "\n");
    Map<String, String> options =
        Map.of("holdfast.iscsi.port", "0", "holdfast.advertised.address", "10.0.2.2");
    FrontendProvider frontend = new IscsiFrontend(Optional.of(secrets));
    try (SocketPortal portal =
        new SocketPortal(new PortalSettings(name -> Optional.ofNullable(options.get(name))))) {
      portal.arrived(frontend);
      URI endpoint = portal.publish("iscsi", "secret", new MemoryBlockDevice(16 << 20)).endpoint();
      assertThat(run(endpoint))
          .contains(
              "an initiator without a secret is refused",
              "an initiator with a wrong secret is refused",
              "an initiator with a wrong name is refused",
              "a target with a wrong secret is refused",
              "a target with a wrong name is refused",
              "an initiator with its secret, by MD5, is served",
              "an initiator with its secret, by SHA256, is served",
              "a pair with their secrets, by MD5, is served",
              "a pair with their secrets, by SHA256, is served",
              "targets are told to those who have a secret");
    }
  }

  private String run(URI endpoint) throws Exception {
    Path log = folder.resolve("vm.log");
    String path = endpoint.getPath();
    Process guest =
        new ProcessBuilder(
                List.of(
                    Path.of("../../libexec/vm").toAbsolutePath().normalize().toString(),
                    "-M",
                    "iscsi_tcp sd_mod",
                    "--",
                    Path.of("src/test/resources/kernel-iscsi/authentication")
                        .toAbsolutePath()
                        .toString(),
                    endpoint.getHost(),
                    String.valueOf(endpoint.getPort()),
                    path.substring(1, path.lastIndexOf('/')),
                    "alice",
                    SECRET,
                    "holdfast",
                    TARGET_SECRET,
                    WRONG))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    guest.getOutputStream().close();
    try {
      assertThat(guest.waitFor(8, TimeUnit.MINUTES)).as(Files.readString(log)).isTrue();
    } finally {
      guest.descendants().forEach(ProcessHandle::destroy);
      guest.destroy();
    }
    String said = Files.readString(log);
    assertThat(guest.exitValue()).as(said).isZero();
    return said;
  }
}
