package dev.holdfast.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A node that runs the real target that the environment names. */
@EnabledIfEnvironmentVariable(
    named = "HOLDFAST_NVMF_TGT",
    matches = ".+",
    disabledReason = "HOLDFAST_NVMF_TGT names no nvmf_tgt of SPDK v26.05")
class RealSpdkE2E extends SpdkE2E {
  @Override
  void install(Path program) throws IOException {
    Files.createSymbolicLink(program, Path.of(System.getenv("HOLDFAST_NVMF_TGT")));
  }
}
