package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.ProgramResult;
import dev.holdfast.vm.testkit.GuestProgram;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Encryption by a real kernel, which build machines may not have the modules of. */
@Tag("soak")
@Timeout(900)
class LuksDevicesVmTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final VmOptions MACHINE =
      new VmOptions(1024, List.of("dm-crypt", "loop"), List.of(), LIMIT);

  @Test
  void devicesAreEncryptedOpenedGrownAndGivenAnotherKey() throws Exception {
    try (VmHost machine = VmHost.start(MACHINE)) {
      ProgramResult result = GuestProgram.run(machine, LIMIT, LuksInGuest.class, List.of());
      assertThat(result.exitCode()).as(result.all()).isZero();
      assertThat(result.output()).contains(LuksInGuest.PASSED);
    }
  }
}
