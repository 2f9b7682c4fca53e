package dev.holdfast.engine.spdk.internal;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Hosts with keys, over real targets. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealKeysTest extends SpdkKeysTest {
  @Override
  SpdkLab lab() {
    return new RealTargetLab();
  }
}
