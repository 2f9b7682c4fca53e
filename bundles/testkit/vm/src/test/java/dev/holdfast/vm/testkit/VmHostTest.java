package dev.holdfast.vm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class VmHostTest extends HostContract {
  private static VmHost vm;

  @BeforeAll
  static void boot() throws Exception {
    vm = VmHost.start(VmOptions.of());
  }

  @AfterAll
  static void off() throws Exception {
    vm.close();
  }

  @Override
  protected Host host() {
    return vm;
  }

  @Override
  protected Path folder() throws Exception {
    return Path.of(vm.check(ProgramCall.of(Duration.ofMinutes(1), List.of("/bin/mktemp", "-d"))));
  }

  @Test
  void machineThatIsKilledIsUnreachable() throws Exception {
    VmHost other = VmHost.start(VmOptions.of());
    HostProcess process = other.start(List.of("/bin/sleep", "1000"));
    other.kill();
    assertThatThrownBy(() -> process.exit().get(1, TimeUnit.MINUTES))
        .isInstanceOf(ExecutionException.class);
    assertThatThrownBy(() -> other.run(ProgramCall.of(Duration.ofMinutes(1), List.of("/bin/true"))))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    other.close();
  }
}
