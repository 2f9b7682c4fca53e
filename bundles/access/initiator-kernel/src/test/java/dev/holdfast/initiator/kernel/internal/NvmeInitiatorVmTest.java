package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The conformance kit with the kernel's NVMe/TCP host, which this machine may not have. */
@Tag("slow")
@Timeout(900)
final class NvmeInitiatorVmTest {
  @TempDir Path folder;

  @Test
  void passesTheContractAndUsesSeveralPaths() throws Exception {
    NvmeofFrontend frontend = new NvmeofFrontend();
    try (MovingPaths paths = new MovingPaths(frontend, VirtualMachine::portal)) {
      String said =
          VirtualMachine.run(
              frontend,
              List.of(NvmeInGuest.class, NvmePathsInGuest.class),
              Map.of(NvmePathsInGuest.PATHS, paths.endpoints()),
              folder,
              "-q",
              "-t",
              "500",
              "-M",
              "nvme-tcp ext4");
      assertThat(said).contains(GuestTests.PASSED + "15");
      assertThat(paths.moves()).isEqualTo(MovingPaths.MOVES);
    }
  }
}
