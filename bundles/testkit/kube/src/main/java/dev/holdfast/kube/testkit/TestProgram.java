package dev.holdfast.kube.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A program that a test starts and kills at its end. One owner at a time. */
final class TestProgram implements AutoCloseable {
  private static final long BUILD_LIMIT_MINUTES = 30;
  private static final int LOWEST_PORT = 11_000;
  private static final int HIGHEST_PORT = 32_000;

  private final Process process;
  private final Path log;
  private final Thread hook;

  private TestProgram(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.hook = new Thread(process::destroyForcibly, "kill-" + process.pid());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a program.
   *
   * @param log file to which its output is appended
   */
  static TestProgram start(List<String> command, Path log) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new TestProgram(process, log);
  }

  /** Returns the path of a program of {@code itests/lib/kube-tools}; builds a missing one. */
  static String path(String name) throws IOException {
    return path("kube-tools", List.of(name));
  }

  /**
   * Returns the path that a script prints, which builds the program when it is absent.
   *
   * @param script name of the script in {@code itests/lib}
   */
  static String path(String script, List<String> arguments) throws IOException {
    Path errors = Files.createTempFile(script, ".log");
    List<String> command =
        new ArrayList<>(List.of(root().resolve("itests/lib/" + script).toString()));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(BUILD_LIMIT_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException("no " + command + ": " + Files.readString(errors));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in " + command, e);
    } finally {
      Files.deleteIfExists(errors);
    }
    return path.strip();
  }

  /** Returns the root of the source tree. */
  static Path root() throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.exists(folder.resolve("itests/lib/kube-tools"))) {
      folder = folder.getParent();
    }
    if (folder == null) {
      throw new IOException("no itests/lib/kube-tools above " + Path.of("").toAbsolutePath());
    }
    return folder;
  }

  /**
   * Returns a loopback port on which no process listens. It lies below the ports that the kernel
   * assigns to clients, so that no connection of another test takes it before its use.
   */
  static int freePort() {
    return ThreadLocalRandom.current()
        .ints(LOWEST_PORT, HIGHEST_PORT)
        .filter(TestProgram::isFree)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** A check whether the program is ready. */
  interface Readiness {
    boolean test() throws IOException;
  }

  /**
   * Waits until the program is ready.
   *
   * @throws IOException when it ends before, or is not ready in time; with the end of its log
   */
  void await(Readiness ready, long limitSeconds) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
    while (!ready.test()) {
      try {
        if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
          throw new IOException("ended with " + process.exitValue() + ":\n" + tail());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for a program", e);
      }
      if (System.nanoTime() > deadline) {
        throw new IOException("not ready after " + limitSeconds + " s:\n" + tail());
      }
    }
  }

  private String tail() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  /** Kills the program, like a loss of power, and waits for its end. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, so the hook runs.
      return;
    }
  }
}
