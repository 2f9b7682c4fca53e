package dev.holdfast.frontend.nbd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A foreign program that must work with our server. */
final class Peer {
  private static final long PATIENCE_SECONDS = 60;

  private Peer() {}

  /** Output of a program, and its exit code. */
  record Outcome(int exitCode, String output) {}

  /** Runs a program and returns what it said; its failure, or its absence, is the test's. */
  static String run(String... command) throws IOException, InterruptedException {
    Outcome outcome = attempt(command);
    if (outcome.exitCode() != 0) {
      throw new AssertionError(List.of(command) + " failed:\n" + outcome.output());
    }
    return outcome.output();
  }

  static Outcome attempt(String... command) throws IOException, InterruptedException {
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
