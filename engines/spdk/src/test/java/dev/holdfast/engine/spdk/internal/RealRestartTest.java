package dev.holdfast.engine.spdk.internal;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Open volumes over a real target that is killed and started again. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealRestartTest extends SpdkRestartTest {
  @Override
  SpdkLab lab() {
    return new RealTargetLab();
  }
}
