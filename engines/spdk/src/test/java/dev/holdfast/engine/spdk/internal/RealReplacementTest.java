package dev.holdfast.engine.spdk.internal;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Open volumes in use whose real target is replaced by another process. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealReplacementTest extends SpdkReplacementTest {
  @Override
  SpdkLab lab() {
    return new RealTargetLab();
  }
}
