package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The web page of a real node in Debian's Chromium: {@code ui/e2e/page.mjs} has the steps. */
@Tag("repeatable")
class PageE2E {
  @TempDir Path directory;

  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void userSignsInAndWorksWithAVolume() throws IOException {
    Path backups = Files.createDirectory(directory.resolve("backups"));
    try (RunningNode node = RunningNode.start(directory.resolve("node"), "--no-demo")) {
      // The story deletes an image after the volumes that use it.
      Await.until(
          "the node has its settings, and one is set",
          Duration.ofMinutes(1),
          () -> node.run("setting", "set", "deletion-grace", "0s").exitCode() == 0);
      String address = node.ok("page").lines().findFirst().orElse("");
      assertThat(address).matches("https://127\\.0\\.0\\.1:\\d+/page/#code=[A-Za-z0-9_-]{43}");
      PageStories.play(
          "page",
          address,
          backups.toString(),
          PageStories.HOLDFAST.toString(),
          node.data().toString());
    }
  }
}
