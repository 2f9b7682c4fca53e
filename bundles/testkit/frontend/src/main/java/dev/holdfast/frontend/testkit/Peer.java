package dev.holdfast.frontend.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A third-party program that must interoperate with a frontend. */
public final class Peer {
  private static final long PATIENCE_SECONDS = 60;

  private Peer() {}

  /**
   * The result of a program.
   *
   * @param exitCode of the program
   * @param output both of its streams, as ISO 8859-1
   */
  public record Outcome(int exitCode, String output) {}

  /**
   * Runs a program that must succeed within a minute; otherwise the test fails.
   *
   * @param command program and arguments, not null
   * @return its output
   * @throws IOException when the program is not installed
   * @throws InterruptedException when the thread is interrupted
   */
  public static String run(String... command) throws IOException, InterruptedException {
    Outcome outcome = attempt(command);
    if (outcome.exitCode() != 0) {
      throw new AssertionError(List.of(command) + " failed:\n" + outcome.output());
    }
    return outcome.output();
  }

  /**
   * Runs a program that must end within a minute.
   *
   * @param command program and arguments, not null
   * @return its exit code and its output
   * @throws IOException when the program is not installed
   * @throws InterruptedException when the thread is interrupted
   */
  public static Outcome attempt(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("peer", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(List.of(command) + " did not end:\n" + Files.readString(output));
      }
      return new Outcome(
          process.exitValue(), Files.readString(output, StandardCharsets.ISO_8859_1));
    } finally {
      Files.delete(output);
    }
  }
}
