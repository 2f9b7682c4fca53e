package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs inside the virtual machine: the commands of {@link LvmCrashTest} on real LVM. */
final class LvmCrashInGuest {
  private static final long EXTENT = 4 << 20;

  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatACommandInterrupted(CrashPoint call) throws Exception {
    for (int point = 0; ; point++) {
      for (boolean after : new boolean[] {false, true}) {
        if (!call.tryAt(new CrashWorld(new RealLab(EXTENT)), point, after, false)) {
          assertThat(point).isPositive();
          return;
        }
      }
    }
  }
}
