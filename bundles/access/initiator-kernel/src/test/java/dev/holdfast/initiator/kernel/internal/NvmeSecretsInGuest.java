package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs inside the virtual machine, whose {@code /etc} has no other user. */
final class NvmeSecretsInGuest {
  private static final Path FOLDER = Path.of("/etc/nvme");

  private final URI endpoint = URI.create(System.getenv(GuestFixture.ENDPOINT));
  private final NvmeControllers controllers = new NvmeControllers();
  private KernelInitiator initiator;

  @TempDir Path folder;

  @BeforeEach
  void named() throws Exception {
    Files.createDirectories(FOLDER);
    Files.writeString(FOLDER.resolve("hostnqn"), NvmeSecrets.NAME + "\n");
    Files.writeString(FOLDER.resolve("hostid"), NvmeSecrets.ID + "\n");
    Files.deleteIfExists(FOLDER.resolve("config.json"));
    initiator = new KernelInitiator(controllers, new HostState(folder));
  }

  private static void configured(String secret, String controllers) throws Exception {
    String text =
        "[{'hostnqn': '%s', 'dhchap_key': '%s', 'dhchap_ctrl_key': '%s'}]"
            .formatted(NvmeSecrets.NAME, secret, controllers);
    Files.writeString(FOLDER.resolve("config.json"), text.replace('\'', '"'));
  }

  private void assertRefused() throws Exception {
    assertThatThrownBy(() -> initiator.connect("contract", endpoint))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.FORBIDDEN));
    assertThat(controllers.isOpen(controllers.target(endpoint))).isFalse();
    assertThat(initiator.connections()).isEmpty();
  }

  @Test
  void withoutSecretTheHostIsRefused() throws Exception {
    assertRefused();
  }

  @Test
  void withWrongSecretTheHostIsRefused() throws Exception {
    configured(NvmeSecrets.WRONG, NvmeSecrets.CONTROLLERS);
    assertRefused();
  }

  @Test
  void withWrongSecretTheControllerIsRefused() throws Exception {
    configured(NvmeSecrets.OWN, NvmeSecrets.WRONG);
    assertRefused();
  }

  @Test
  void withTheirSecretsBothAreServed() throws Exception {
    configured(NvmeSecrets.OWN, NvmeSecrets.CONTROLLERS);
    InitiatorConnection connection = initiator.connect("contract", endpoint);
    assertThat(Path.of(connection.device())).exists();
    assertThat(initiator.find("contract").orElseThrow().alive()).isTrue();
    initiator.disconnect("contract");
    assertThat(controllers.isOpen(controllers.target(endpoint))).isFalse();
  }
}
