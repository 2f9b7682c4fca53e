package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Secrets of nvme-cli's file and of the node, for a kernel that knows DH-HMAC-CHAP: a newer one.
 */
@Tag("soak")
@Timeout(900)
final class NvmeSecretsVmTest {
  @TempDir Path folder;

  @Test
  void rightSecretsConnectAndWrongOnesAreRefused() throws Exception {
    Path secrets = folder.resolve("secrets");
    Files.writeString(
        secrets,
        String.join(" ", NvmeSecrets.NAME, NvmeSecrets.OWN, NvmeSecrets.CONTROLLERS) + "\n");
    Map<String, String> options = Map.of("holdfast.nvmeof.dhchap", secrets.toString());
    String said =
        VirtualMachine.run(
            new NvmeofFrontend(name -> Optional.ofNullable(options.get(name))),
            NvmeSecretsInGuest.class,
            folder,
            "-n",
            "-t",
            "500",
            "-M",
            "nvme-tcp");
    assertThat(said).contains(GuestTests.PASSED + "4");
  }

  @Test
  void secretsOfTheNodeConnect() throws Exception {
    String said =
        NodeSecrets.run(
            new NvmeofFrontend(),
            List.of(NvmeNodeSecretsInGuest.class),
            folder,
            "-n",
            "-t",
            "500",
            "-M",
            "nvme-tcp");
    assertThat(said).contains(GuestTests.PASSED + "2");
  }
}
