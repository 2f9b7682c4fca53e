package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program that is run to its end, with all its output. */
final class Command {
  private final List<String> words;
  private final Map<String, String> environment = new HashMap<>();
  private Duration timeout = Duration.ofMinutes(2);

  private Command(List<String> words) {
    this.words = List.copyOf(words);
  }

  static Command of(String... words) {
    return new Command(List.of(words));
  }

  static Command of(List<String> words) {
    return new Command(words);
  }

  Command with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Command within(Duration limit) {
    timeout = limit;
    return this;
  }

  /**
   * The result of a command.
   *
   * @param exitCode of the program
   * @param out its standard output, without white space at the ends
   * @param err its standard error, likewise
   */
  record Result(int exitCode, String out, String err) {
    /** Fails unless the program ended well. */
    Result succeeded() {
      assertThat(exitCode).as("%s%n%s", out, err).isZero();
      return this;
    }

    Result failed() {
      assertThat(exitCode).as("%s%n%s", out, err).isNotZero();
      return this;
    }
  }

  Result run() {
    try {
      ProcessBuilder builder = new ProcessBuilder(words);
      builder.environment().putAll(environment);
      Process process = builder.start();
      process.getOutputStream().close();
      CompletableFuture<String> out = text(process.getInputStream());
      CompletableFuture<String> err = text(process.getErrorStream());
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new AssertionError(
            "no end within " + timeout + ": " + words + "\n" + out.join() + err.join());
      }
      return new Result(process.exitValue(), out.join(), err.join());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + words, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + words, e);
    }
  }

  static boolean exists(Path program) {
    return program.toFile().canExecute();
  }

  private static CompletableFuture<String> text(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).strip();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
