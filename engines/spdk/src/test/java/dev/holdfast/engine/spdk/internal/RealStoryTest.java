package dev.holdfast.engine.spdk.internal;

import java.nio.file.Path;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Random changes of a volume under writes, over real targets. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealStoryTest extends SpdkStoryTest {
  @Override
  SpdkCluster cluster(Path folder) throws Exception {
    return new SpdkCluster(folder, RealTargetLab::new, 2);
  }
}
