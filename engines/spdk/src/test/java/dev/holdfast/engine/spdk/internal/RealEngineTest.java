package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The engine over a real target. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealEngineTest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new RealTargetLab();
  }
}
