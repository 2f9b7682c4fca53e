package dev.holdfast.support.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFactsTest {
  private static final String LOG =
      """
      2026-11-28T10:00:00.000+01:00 INFO  [films||] early
      2026-11-28T12:00:00.000+01:00 WARN  [films||] late
      java.io.IOException: gone
      \tat a.b.C
      2026-11-28T12:00:01.000+01:00 WARN  [music||] other
      """;
  private static final String AUDIT =
      """
      {"verb":"get","requestReceivedTimestamp":"2026-11-28T08:59:00.000000Z"}
      {"verb":"delete","requestReceivedTimestamp":"2026-11-28T11:00:00.000000Z"}
      """;

  @TempDir private Path folder;

  private Map<String, String> collect(Optional<String> volume) throws Exception {
    Map<String, String> files = new LinkedHashMap<>();
    SupportRequest request =
        new SupportRequest(Instant.parse("2026-11-28T10:30:00Z"), volume, List.of());
    new LogFacts("logs", folder, "*.log*")
        .collect(
            request,
            new SecretFilter(Set.of()),
            (name, content) -> files.put(name, new String(content, StandardCharsets.UTF_8)));
    return files;
  }

  @Test
  void linesBeforeTheTimeAreLeftOutAndStackTracesStayWithTheirLine() throws Exception {
    Files.writeString(folder.resolve("holdfast.log"), LOG);
    Files.writeString(folder.resolve("audit.log.1"), AUDIT);
    Files.writeString(folder.resolve("other.txt"), LOG);

    Map<String, String> files = collect(Optional.empty());

    assertThat(files).containsOnlyKeys("logs/audit.log.1", "logs/holdfast.log");
    assertThat(files.get("logs/holdfast.log"))
        .startsWith("2026-11-28T12:00:00.000+01:00 WARN  [films||] late\njava.io")
        .contains("at a.b.C", "other")
        .doesNotContain("early");
    assertThat(files.get("logs/audit.log.1")).contains("delete").doesNotContain("get");
  }

  @Test
  void onlyLinesOfTheVolumeAreTakenWhenOneIsNamed() throws Exception {
    Files.writeString(folder.resolve("holdfast.log"), LOG);

    assertThat(collect(Optional.of("films")).get("logs/holdfast.log"))
        .contains("late", "at a.b.C")
        .doesNotContain("other");
  }

  @Test
  void longLogIsDividedIntoPieces() throws Exception {
    String line = "2026-11-28T12:00:00.000+01:00 INFO  [||] " + "x".repeat(100_000) + "\n";
    Files.writeString(folder.resolve("holdfast.log"), line.repeat(44));

    assertThat(collect(Optional.empty()))
        .containsOnlyKeys("logs/holdfast.log", "logs/holdfast.log.piece-2");
  }
}
