package dev.holdfast.initiator;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs a program of the host, such as {@code losetup}, and waits for its end. Thread-safe. */
public final class HostProgram {
  private static final List<String> SYSTEM_FOLDERS =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

  private HostProgram() {}

  /**
   * Result of a program.
   *
   * @param exitCode its exit code
   * @param output output of both streams, trimmed
   */
  public record Result(int exitCode, String output) {}

  /**
   * Returns the path of a program in PATH or a system folder, because a user's PATH often lacks
   * system folders.
   */
  public static Optional<Path> find(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.concat(Stream.of(path.split(":", -1)), SYSTEM_FOLDERS.stream())
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Returns the path of a program.
   *
   * @param name of the program
   * @param debianPackage package that contains the program
   * @throws StorageException UNSUPPORTED with the name of the package
   */
  public static Path require(String name, String debianPackage) throws StorageException {
    return find(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED,
                    name + " is not installed: apt-get install " + debianPackage));
  }

  /**
   * Runs a program and waits for its end. The program has empty input and an English locale.
   *
   * @param timeout after which it is killed
   * @param command the program and its arguments
   * @throws StorageException UNSUPPORTED when the program does not exist; TIMEOUT; IO
   */
  public static Result run(Duration timeout, List<String> command) throws StorageException {
    String name = Path.of(command.get(0)).getFileName().toString();
    Path output = null;
    try {
      output = Files.createTempFile("holdfast-" + name.toLowerCase(Locale.ROOT), ".out");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile());
      builder.environment().put("LC_ALL", "C");
      Process process = builder.start();
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new StorageException(
            ErrorCode.TIMEOUT, name + " did not end within " + timeout.toSeconds() + " s");
      }
      String text = Files.readString(output, StandardCharsets.ISO_8859_1).strip();
      return new Result(process.exitValue(), text);
    } catch (IOException e) {
      throw StorageException.io(name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, name + ": interrupted", e);
    } finally {
      deleteQuietly(output);
    }
  }

  /** A remaining file in the temporary folder is harmless. */
  private static void deleteQuietly(Path file) {
    if (file != null && !file.toFile().delete()) {
      file.toFile().deleteOnExit();
    }
  }

  /**
   * Runs a program that must succeed.
   *
   * @return output of the program
   * @throws StorageException as {@link #run}; IO with the output of a failed program
   */
  public static String check(Duration timeout, List<String> command) throws StorageException {
    Result result = run(timeout, command);
    if (result.exitCode() != 0) {
      String name = Path.of(command.get(0)).getFileName().toString();
      throw new StorageException(
          ErrorCode.IO,
          name + " failed with exit code " + result.exitCode() + ": " + lastLines(result.output()));
    }
    return result.output();
  }

  private static String lastLines(String output) {
    List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
    return String.join("; ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
  }
}
