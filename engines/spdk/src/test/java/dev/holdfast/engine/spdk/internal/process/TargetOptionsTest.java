package dev.holdfast.engine.spdk.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of the process, and their requirements on the machine. */
class TargetOptionsTest {
  @TempDir Path folder;

  private static Optional<TargetOptions> read(Map<String, String> values) throws StorageException {
    return TargetOptions.read(name -> Optional.ofNullable(values.get(name)));
  }

  @Test
  void nodeWithoutAProgramHasNoTarget() throws Exception {
    assertThat(read(Map.of())).isEmpty();
    assertThat(read(Map.of(TargetOptions.PROGRAM, " "))).isEmpty();
  }

  @Test
  void optionsBecomeArguments() throws Exception {
    Map<String, String> values = new HashMap<>();
    values.put(TargetOptions.PROGRAM, "/opt/nvmf_tgt");
    assertThat(read(values).orElseThrow().command(Path.of("/run/s")))
        .containsExactly(
            "/opt/nvmf_tgt", "--no-huge", "-s", "512", "--no-pci", "-m", "[0]", "-r", "/run/s");
    values.put(TargetOptions.CORES, "2-3, 0");
    values.put(TargetOptions.MEMORY, "1024");
    values.put(TargetOptions.HUGE_PAGES, "true");
    values.put(TargetOptions.SHARED_CORES, "true");
    assertThat(read(values).orElseThrow().command(Path.of("/run/s")))
        .containsExactly(
            "/opt/nvmf_tgt",
            "-s",
            "1024",
            "--no-pci",
            "-m",
            "[0,2,3]",
            "--disable-cpumask-locks",
            "-r",
            "/run/s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "holdfast.spdk.program|nvmf_tgt|absolute path",
        "holdfast.spdk.cores|x|such as 0,2-3",
        "holdfast.spdk.cores|3-1|ascending ranges",
        "holdfast.spdk.cores|0,1024|0 to 1023",
        "holdfast.spdk.memory|384|MiB from 448",
        "holdfast.spdk.memory|much|MiB from 448",
        "holdfast.spdk.huge-pages|yes|true or false",
      })
  void invalidOptionIsNamedWithItsValueAndARemedy(String option, String value, String remedy) {
    Map<String, String> values = new HashMap<>(Map.of(TargetOptions.PROGRAM, "/opt/nvmf_tgt"));
    values.put(option, value);
    StorageException refusal = catchThrowableOfType(StorageException.class, () -> read(values));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID);
    assertThat(refusal).hasMessageContaining(option + ": \"" + value + "\"");
    assertThat(refusal).hasMessageContaining(remedy);
  }

  private void assertMissing(TargetOptions options, String text) throws Exception {
    Path memory = folder.resolve("meminfo");
    Files.writeString(
        memory, "HugePages_Total:      16\nHugePages_Free:       10\nHugepagesize:    2048 kB\n");
    StorageException refusal =
        catchThrowableOfType(
            StorageException.class, () -> new HostAbilities(memory, 4).require(options));
    assertThat(refusal).as(text).isNotNull();
    assertThat(refusal.code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(refusal).hasMessageContaining(text);
  }

  @Test
  void whatTheMachineLacksIsReportedWithTheRemedy() throws Exception {
    Path program = folder.resolve("nvmf_tgt");
    assertMissing(options(program, 0, false), "install SPDK v26.05");
    Files.writeString(program, "");
    assertMissing(options(program, 0, false), "chmod +x");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    assertMissing(options(program, 4, false), "no core 4: give cores from 0 to 3");
    assertMissing(options(program, 0, true), "20 MiB of huge pages are free, 512 MiB are required");
    assertMissing(options(program, 0, true), "vm.nr_hugepages, at least 256 free ones");
  }

  private static TargetOptions options(Path program, int core, boolean hugePages) {
    return new TargetOptions(program, List.of(core), 512, hugePages, false);
  }
}
