package dev.holdfast.page.contribution.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs headless Chromium for one visit of the page. */
final class Chromium {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration END_LIMIT = Duration.ofSeconds(10);

  private Chromium() {}

  /**
   * Opens the page of a server, and waits until its script has completed its report.
   *
   * @throws IOException when Chromium is missing or ends too early, or the script does not finish
   */
  static Report visit(PageServer server) throws IOException {
    Path profile = Files.createTempDirectory("contribution-kit");
    Process process = start(server.address(), profile);
    try {
      List<String> lines =
          server
              .awaitReport(LIMIT)
              .orElseThrow(
                  () ->
                      new IOException(
                          "Chromium did not finish the visit of "
                              + server.address()
                              + " within "
                              + LIMIT
                              + "; its last report: "
                              + server.lastLine()));
      return Report.of(lines);
    } finally {
      end(process);
      delete(profile);
    }
  }

  private static Process start(String address, Path profile) throws IOException {
    String program = System.getProperty("holdfast.chromium", "chromium");
    try {
      return new ProcessBuilder(
              program,
              "--headless",
              "--no-sandbox",
              "--disable-gpu",
              "--disable-dev-shm-usage",
              "--no-first-run",
              "--lang=en-US",
              "--user-data-dir=" + profile,
              address)
          .redirectErrorStream(true)
          .redirectOutput(profile.resolve("chromium.log").toFile())
          .start();
    } catch (IOException e) {
      throw new IOException(
          program
              + ": could not start Chromium: install the package chromium, or name its program by"
              + " -Dholdfast.chromium=PATH",
          e);
    }
  }

  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      boolean ended = process.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS);
      if (!ended) {
        throw new IllegalStateException("Chromium does not end: pid " + process.pid());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> entries;
    try (Stream<Path> all = Files.walk(folder)) {
      entries = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path entry : entries) {
      Files.deleteIfExists(entry);
    }
  }
}
