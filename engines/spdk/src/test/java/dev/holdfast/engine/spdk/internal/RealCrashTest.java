package dev.holdfast.engine.spdk.internal;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Crashes of the engine and of a real target. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealCrashTest extends SpdkCrashTest {
  @Override
  SpdkCrashLab lab() {
    return new SpdkCrashLab() {
      @Override
      TestTarget started(Path at) throws IOException {
        return RealTargetLab.run(at);
      }
    };
  }
}
