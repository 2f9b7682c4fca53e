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

/** Runs a program of the host, such as {@code losetup}, to its end. Thread-safe. */
public final class HostProgram {
  private static final List<String> SYSTEM_FOLDERS =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

  private HostProgram() {}

  /**
   * How a program ended.
   *
   * @param exitCode its exit code
   * @param output what it printed, both streams, without white space at the ends
   */
  public record Result(int exitCode, String output) {}

  /**
   * Returns where a program is: in PATH or a folder of the system, which a user's PATH often lacks.
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
   * Returns where a program is.
   *
   * @param name of the program
   * @param debianPackage that has it
   * @throws StorageException UNSUPPORTED naming the package
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
   * Runs a program and waits for its end. It gets no input and speaks English.
   *
   * @param timeout after which it is killed
   * @param command the program and its arguments
   * @throws StorageException UNSUPPORTED when there is no such program; TIMEOUT; IO
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

  /** A leftover in the temporary folder does no harm. */
  private static void deleteQuietly(Path file) {
    if (file != null && !file.toFile().delete()) {
      file.toFile().deleteOnExit();
    }
  }

  /**
   * Runs a program that must succeed.
   *
   * @return what it printed
   * @throws StorageException as {@link #run}; IO with what it printed when it fails
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
