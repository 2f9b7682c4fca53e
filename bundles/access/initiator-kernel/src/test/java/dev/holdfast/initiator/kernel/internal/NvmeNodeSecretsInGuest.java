package dev.holdfast.initiator.kernel.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;

final class NvmeNodeSecretsInGuest extends NodeSecretsInGuest {
  @BeforeEach
  void named() throws Exception {
    Path configuration = Files.createDirectories(Path.of("/etc/nvme"));
    Files.writeString(configuration.resolve("hostnqn"), NvmeSecrets.NAME + "\n");
    Files.writeString(configuration.resolve("hostid"), NvmeSecrets.ID + "\n");
    Files.deleteIfExists(configuration.resolve("config.json"));
  }

  @Override
  Sessions sessions() {
    return new NvmeControllers();
  }
}
