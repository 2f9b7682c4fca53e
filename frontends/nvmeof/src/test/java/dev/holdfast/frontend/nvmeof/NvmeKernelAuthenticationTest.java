package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
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

/**
 * DH-HMAC-CHAP with the kernel's own host, one way and both ways. The test downloads a newer kernel
 * than the other tests use.
 */
@Tag("soak")
@Timeout(900)
final class NvmeKernelAuthenticationTest {
  private static final String HOST =
      "nqn.2014-08.org.nvmexpress:uuid:6f2c6f0a-5f0e-4d8e-9d0c-0a5b9c7d1e2f";

  @TempDir Path folder;

  @Test
  void rightSecretsAreServedAndWrongOnesRefused() throws Exception {
    String host = HostChap.secret(1, NvmeTestBase.random(32, 1));
    String controller = HostChap.secret(3, NvmeTestBase.random(64, 2));
    String wrong = HostChap.secret(2, NvmeTestBase.random(48, 3));
    Path secrets = folder.resolve("secrets");
    Files.writeString(secrets, HOST + " " + host + " " + controller + "\n");
    Map<String, String> options =
        Map.of(
            "holdfast.nvmeof.port",
            "0",
            "holdfast.advertised.address",
            "10.0.2.2",
            "holdfast.nvmeof.dhchap",
            secrets.toString());
    FrontendProvider frontend = new NvmeofFrontend(name -> Optional.ofNullable(options.get(name)));
    try (SocketPortal portal =
        new SocketPortal(new PortalSettings(name -> Optional.ofNullable(options.get(name))))) {
      portal.arrived(frontend);
      URI endpoint = portal.publish("nvmeof", "secret", new MemoryBlockDevice(16 << 20)).endpoint();
      String said = run(endpoint, host, controller, wrong);
      assertThat(said)
          .contains(
              "a host without a secret is refused",
              "a host with a wrong secret is refused",
              "a controller with a wrong secret is refused",
              "a host with its secret is served",
              "a pair with their secrets is served",
              "qid 0: controller authenticated");
    }
  }

  private String run(URI endpoint, String host, String controller, String wrong) throws Exception {
    Path log = folder.resolve("vm.log");
    Process guest =
        new ProcessBuilder(
                List.of(
                    Path.of("../../libexec/vm").toAbsolutePath().normalize().toString(),
                    "-n",
                    "-t",
                    "480",
                    "-M",
                    "nvme-tcp",
                    "--",
                    Path.of("src/test/resources/kernel-nvme/authentication")
                        .toAbsolutePath()
                        .toString(),
                    endpoint.getHost(),
                    String.valueOf(endpoint.getPort()),
                    endpoint.getPath().substring(1),
                    host,
                    controller,
                    wrong))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    guest.getOutputStream().close();
    try {
      assertThat(guest.waitFor(12, TimeUnit.MINUTES)).as(Files.readString(log)).isTrue();
    } finally {
      guest.descendants().forEach(ProcessHandle::destroy);
      guest.destroy();
    }
    String said = Files.readString(log);
    assertThat(guest.exitValue()).as(said).isZero();
    return said;
  }
}
