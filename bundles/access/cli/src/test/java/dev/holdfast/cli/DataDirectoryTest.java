package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  private static final Map<String, String> HOME = Map.of("HOME", "/home/ann");

  private static Path choose(Optional<Path> given, Map<String, String> environment, String user) {
    return DataDirectory.choose(given, environment, user).path();
  }

  @Test
  void rootHasTheSystemsDirectory() {
    assertThat(choose(Optional.empty(), HOME, "root")).isEqualTo(Path.of("/var/lib/holdfast"));
  }

  @Test
  void otherAccountsHaveSeparateDirectories() {
    assertThat(choose(Optional.empty(), HOME, "ann"))
        .isEqualTo(Path.of("/home/ann/.local/share/holdfast"));
  }

  @Test
  void environmentOverridesTheDefault() {
    assertThat(choose(Optional.empty(), Map.of("HOLDFAST_DATA", "/srv/a"), "root"))
        .isEqualTo(Path.of("/srv/a"));
  }

  @Test
  void optionOverridesTheEnvironment() {
    assertThat(choose(Optional.of(Path.of("/srv/b")), Map.of("HOLDFAST_DATA", "/srv/a"), "root"))
        .isEqualTo(Path.of("/srv/b"));
  }

  @Test
  void theProcessOfAStalePidFileIsNotRunning(@TempDir Path folder) throws Exception {
    DataDirectory data = new DataDirectory(folder);
    assertThat(data.pid()).isEmpty();
    Files.writeString(folder.resolve("holdfast.pid"), "999999999\n");
    assertThat(data.pid()).isEmpty();
    Files.writeString(folder.resolve("holdfast.pid"), "nonsense");
    assertThat(data.pid()).isEmpty();
  }
}
