package dev.holdfast.engine.spdk.internal;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Backups of a mirror over a real target. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealBackupTest extends SpdkBackupTest {
  @Override
  SpdkLab lab() {
    return new RealTargetLab();
  }
}
