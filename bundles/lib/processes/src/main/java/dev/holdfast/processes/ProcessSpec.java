package dev.holdfast.processes;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A process that a supervisor keeps running. Create it by {@link #of} and change it by the {@code
 * with…} methods.
 *
 * @param name unique in the supervisor's folder: letters, digits, {@code . _ -}, at most 200
 * @param command absolute path of the program, then its arguments; it must not contain secrets,
 *     because every user of the machine can read it
 * @param environment variables that are added to those of this program
 * @param workingFolder absolute path of a folder that exists at the start
 * @param limits resource limits
 * @param restarts restart policy after an end by itself
 * @param stopPatience time between SIGTERM and SIGKILL, positive
 * @param logBytes maximum size of the log file, at least 4096; half as much is kept of older output
 * @param health health checks; if empty, the process is healthy while it runs
 */
@RecordBuilder
public record ProcessSpec(
    String name,
    List<String> command,
    Map<String, String> environment,
    Path workingFolder,
    ProcessLimits limits,
    RestartPolicy restarts,
    Duration stopPatience,
    long logBytes,
    Optional<HealthProbe> health)
    implements ProcessSpecBuilder.With {
  private static final long DEFAULT_LOG = 1 << 20;
  private static final long SMALLEST_LOG = 4096;

  /** Checks the values and copies the collections. */
  public ProcessSpec {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "name: \"" + name + "\", must have 1 to 200 letters, digits or . _ -, not first a dot");
    }
    command = List.copyOf(command);
    if (command.isEmpty() || !command.get(0).startsWith("/")) {
      throw new IllegalArgumentException(
          "command of " + name + ": must begin with the absolute path of a program");
    }
    environment = Map.copyOf(environment);
    if (!workingFolder.isAbsolute()) {
      throw new IllegalArgumentException(
          "workingFolder of " + name + ": " + workingFolder + ", must be absolute");
    }
    Objects.requireNonNull(limits, "limits");
    Objects.requireNonNull(restarts, "restarts");
    RestartPolicy.requirePositive("stopPatience", stopPatience);
    if (logBytes < SMALLEST_LOG) {
      throw new IllegalArgumentException(
          "logBytes of " + name + ": " + logBytes + ", must be at least " + SMALLEST_LOG);
    }
    Objects.requireNonNull(health, "health");
  }

  /**
   * Returns a process in {@code /} that is always restarted, has 10 s to stop and a log of 1 MiB,
   * without further limits or health checks.
   *
   * @param name see {@link ProcessSpec}
   * @param command absolute path of the program, then its arguments
   */
  public static ProcessSpec of(String name, List<String> command) {
    return new ProcessSpec(
        name,
        command,
        Map.of(),
        Path.of("/"),
        ProcessLimits.INHERITED,
        RestartPolicy.ALWAYS,
        Duration.ofSeconds(10),
        DEFAULT_LOG,
        Optional.empty());
  }

  /** Returns whether a text can be the name of a process. */
  static boolean isName(String name) {
    return name.matches("[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}");
  }
}
