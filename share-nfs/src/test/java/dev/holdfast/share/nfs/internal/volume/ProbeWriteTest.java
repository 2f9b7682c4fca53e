package dev.holdfast.share.nfs.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.Host;
import dev.holdfast.host.LocalHost;
import dev.holdfast.share.WriteProbe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ProbeWriteTest {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Host host = new LocalHost();
  private final ProbeWrite probe = new ProbeWrite();

  @TempDir private Path folder;

  @Test
  void writeIsReported() throws Exception {
    assertThat(probe.write(host, folder.resolve("probe"), "", PATIENCE).probe())
        .isEqualTo(WriteProbe.WRITTEN);
  }

  @Test
  void blockHoldsTheTextAndZeroes() throws Exception {
    Path file = folder.resolve("probe");
    String text = "10.0.0.1:700\n10.0.0.2:701\n";
    for (String next : List.of(text + text, text)) {
      assertThat(probe.write(host, file, next, PATIENCE).probe()).isEqualTo(WriteProbe.WRITTEN);
    }
    assertThat(Files.size(file)).isEqualTo(4096);
    assertThat(Files.readString(file).replace("\0", "").strip()).isEqualTo(text.strip());
  }

  @Test
  void writeThatFailsIsReportedWithItsCause() throws Exception {
    ProbeWrite.Result result = probe.write(host, folder.resolve("absent/probe"), "", PATIENCE);
    assertThat(result.probe()).isEqualTo(WriteProbe.FAILED);
    assertThat(result.detail()).contains("No such file");
  }

  /** A volume whose engine is absent for a time needs no repair of its filesystem. */
  @Test
  @Timeout(30)
  void writeThatWasKilledDoesNotCondemnTheFilesystem() throws Exception {
    Path file = folder.resolve("probe");
    new ProcessBuilder("mkfifo", file.toString()).start().waitFor();
    assertThat(probe.write(host, file, "", PATIENCE).probe()).isEqualTo(WriteProbe.TIMED_OUT);
    Files.delete(file);
    WriteProbe next = WriteProbe.TIMED_OUT;
    while (next == WriteProbe.TIMED_OUT) {
      next = probe.write(host, file, "", PATIENCE).probe();
    }
    assertThat(next).isEqualTo(WriteProbe.WRITTEN);
  }
}
