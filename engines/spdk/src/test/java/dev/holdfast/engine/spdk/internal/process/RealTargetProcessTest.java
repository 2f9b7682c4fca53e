package dev.holdfast.engine.spdk.internal.process;

import java.nio.file.Path;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A real target, if the environment names one. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealTargetProcessTest extends TargetProcessKit {
  @Override
  Path program(Path folder) {
    return Path.of(System.getenv("HOLDFAST_NVMF_TGT"));
  }
}
