package dev.holdfast.share.nfs.internal;

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

/** Serves an encrypted volume in a virtual machine, because kernels without dm-crypt are common. */
@Tag("slow")
@Timeout(700)
class EncryptedShareVmTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final VmOptions MACHINE =
      new VmOptions(1024, List.of("dm-crypt", "loop", "fuse"), List.of(), LIMIT);

  @Test
  void encryptedVolumeIsServedFromItsOpenedDeviceTheSecondTimeToo() throws Exception {
    assertPasses(EncryptedShareInGuest.Part.SECOND_OPENING);
  }

  /** Each opening needs two seconds to derive the key. */
  @Test
  @Tag("soak")
  void wrongKeyIsRefusedAndRepairMountsTheOpenedDevice() throws Exception {
    assertPasses(EncryptedShareInGuest.Part.WRONG_KEY_AND_REPAIR);
  }

  private static void assertPasses(EncryptedShareInGuest.Part part) throws Exception {
    try (VmHost machine = VmHost.start(MACHINE)) {
      ProgramResult result =
          GuestProgram.run(machine, LIMIT, EncryptedShareInGuest.class, List.of(part.name()));
      assertThat(result.exitCode()).as(result.all()).isZero();
      assertThat(result.output()).contains(part.passed());
    }
  }
}
