package dev.holdfast.host;

import java.util.List;
import java.util.Objects;

/**
 * Result of a program. Texts are UTF-8, without white space at the ends.
 *
 * @param exitCode exit code; 128 plus the number of the signal that ended it
 * @param output text of its standard output
 * @param errors text of its error output
 * @param truncated whether it printed more than the call keeps
 */
public record ProgramResult(int exitCode, String output, String errors, boolean truncated) {
  private static final int LAST_LINES = 3;

  /** Checks that the texts are present. */
  public ProgramResult {
    Objects.requireNonNull(output, "output");
    Objects.requireNonNull(errors, "errors");
  }

  /** Returns both outputs, first the errors. */
  public String all() {
    return errors.isEmpty() || output.isEmpty() ? errors + output : errors + "\n" + output;
  }

  /** Returns the last three lines of its output as one line, for messages. */
  public String lastLines() {
    List<String> lines = all().lines().filter(line -> !line.isBlank()).toList();
    return String.join("; ", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }
}
