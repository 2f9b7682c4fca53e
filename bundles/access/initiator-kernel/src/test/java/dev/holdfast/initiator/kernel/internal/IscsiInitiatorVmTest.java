package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The conformance kit with the kernel's iSCSI initiator, which this machine may not have, and a
 * target that demands the secrets of the node.
 */
@Tag("slow")
@Timeout(900)
final class IscsiInitiatorVmTest {
  @TempDir Path folder;

  @Test
  void passesTheContractAndShowsTheSecretsOfTheNode() throws Exception {
    String said =
        NodeSecrets.run(
            new IscsiFrontend(),
            List.of(IscsiInGuest.class, IscsiNodeSecretsInGuest.class),
            folder,
            "-t",
            "500",
            "-M",
            "iscsi_tcp sd_mod ext4");
    assertThat(said).contains(GuestTests.PASSED + "16");
  }
}
