package dev.holdfast.engine.spdk.internal;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Lists of changed clusters of a real target. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealChangesTest extends SpdkChangesTest {
  @Override
  SpdkLab lab() {
    return new RealTargetLab();
  }
}
