package dev.holdfast.host;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A program to run on a host. It runs with the locale C, so that its output is English.
 *
 * @param command absolute path of the program, then its arguments; must not contain secrets,
 *     because every user of the host sees it
 * @param input standard input, empty for none; may be a secret
 * @param timeout time after which it is killed, positive
 * @param outputBytes maximum bytes kept of each of its two outputs, positive; the rest is discarded
 */
public record ProgramCall(List<String> command, String input, Duration timeout, int outputBytes) {
  private static final int DEFAULT_OUTPUT = 1 << 20;

  /** Checks the values and copies the command. */
  public ProgramCall {
    command = List.copyOf(command);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("command: must name a program");
    }
    Objects.requireNonNull(input, "input");
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout: " + timeout + ", must be positive");
    }
    if (outputBytes < 1) {
      throw new IllegalArgumentException("outputBytes: " + outputBytes + ", must be positive");
    }
  }

  /** A call without input that keeps 1 MiB of each output. */
  public static ProgramCall of(Duration timeout, List<String> command) {
    return new ProgramCall(command, "", timeout, DEFAULT_OUTPUT);
  }

  /** Returns the same call with an input. */
  public ProgramCall withInput(String text) {
    return new ProgramCall(command, text, timeout, outputBytes);
  }

  /** Returns the same call that keeps another number of bytes of each output. */
  public ProgramCall withOutputBytes(int bytes) {
    return new ProgramCall(command, input, timeout, bytes);
  }

  /** Returns the program's name, for messages. */
  public String program() {
    return Path.of(command.get(0)).getFileName().toString();
  }

  /** Omits the input, which may be a secret. */
  @Override
  public String toString() {
    return String.join(" ", command);
  }
}
