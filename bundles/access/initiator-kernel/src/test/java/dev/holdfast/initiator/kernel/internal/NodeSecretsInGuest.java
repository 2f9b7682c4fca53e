package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs inside the virtual machine, on a target that serves no initiator without a secret. */
abstract class NodeSecretsInGuest {
  private final URI endpoint = URI.create(System.getenv(NodeSecrets.SECURED));
  private final InitiatorFolder secrets =
      new InitiatorFolder(Path.of(System.getenv(NodeSecrets.FOLDER)));

  @TempDir Path folder;

  abstract Sessions sessions();

  private KernelInitiator initiator(Optional<InitiatorFolder> known) {
    return new KernelInitiator(
        sessions(), new HostState(folder), new VolumeCredentials(() -> known));
  }

  @Test
  void kernelWithoutASecretIsRefused() throws Exception {
    assertThatThrownBy(() -> initiator(Optional.empty()).connect("secured", endpoint))
        .isInstanceOf(StorageException.class);
    assertThat(sessions().isOpen(sessions().target(endpoint))).isFalse();
  }

  @Test
  void eachConnectionHasASeparateSecret() throws Exception {
    KernelInitiator initiator = initiator(Optional.of(secrets));
    InitiatorCredential first = connected(initiator);
    InitiatorCredential second = connected(initiator);
    assertThat(second).isNotEqualTo(first);
  }

  private InitiatorCredential connected(KernelInitiator initiator) throws Exception {
    InitiatorConnection connection = initiator.connect("secured", endpoint);
    InitiatorCredential credential = secrets.read("secured").orElseThrow();
    byte[] block = new byte[4096];
    block[1] = 7;
    Files.write(Path.of(connection.device()), block, StandardOpenOption.WRITE);
    initiator.disconnect("secured");
    assertThat(secrets.read("secured")).isEmpty();
    assertThat(sessions().isOpen(sessions().target(endpoint))).isFalse();
    return credential;
  }
}
