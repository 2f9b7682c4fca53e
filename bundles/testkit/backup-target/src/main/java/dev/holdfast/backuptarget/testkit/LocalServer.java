package dev.holdfast.backuptarget.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A third-party server on a port of this machine. A script below {@code itests/lib} installs its
 * program once and prints its path. One thread starts and closes it.
 */
final class LocalServer implements AutoCloseable {
  private static final long INSTALL_LIMIT_MINUTES = 30;
  private static final long START_LIMIT_SECONDS = 60;
  private static final int LOWEST_PORT = 11_000;
  private static final int HIGHEST_PORT = 32_000;

  private final Process process;
  private final Thread hook;

  private LocalServer(Process process) {
    this.process = process;
    this.hook = new Thread(process::destroyForcibly, "kill-" + process.pid());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a server, and waits until it accepts connections.
   *
   * @param command program and arguments
   * @param environment added to that of this process
   * @param log receives its output
   * @param port on which it listens
   * @throws IOException if it does not answer
   */
  static LocalServer start(
      List<String> command, Map<String, String> environment, Path log, int port)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    LocalServer server = new LocalServer(builder.start());
    try {
      server.awaitAnswer(command.get(0), log, port);
    } catch (IOException | InterruptedException e) {
      server.close();
      throw e;
    }
    return server;
  }

  private void awaitAnswer(String program, Path log, int port)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_LIMIT_SECONDS);
    while (!answers(port)) {
      if (process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
        throw new IOException(program + " does not serve:\n" + Files.readString(log));
      }
    }
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the output of a script in the source tree, which installs missing programs. */
  static String program(String script) throws IOException, InterruptedException {
    Path tree = Path.of("").toAbsolutePath();
    while (tree != null && !Files.exists(tree.resolve(script))) {
      tree = tree.getParent();
    }
    if (tree == null) {
      throw new IOException("no " + script + " above " + Path.of("").toAbsolutePath());
    }
    Path errors = Files.createTempFile("install", ".log");
    try {
      Process process =
          new ProcessBuilder(tree.resolve(script).toString())
              .redirectError(errors.toFile())
              .start();
      String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(INSTALL_LIMIT_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException(script + " fails: " + Files.readString(errors));
      }
      return path.strip();
    } finally {
      Files.deleteIfExists(errors);
    }
  }

  /** Returns a port without a listener, below the range that the kernel assigns to clients. */
  static int freePort() {
    return ThreadLocalRandom.current()
        .ints(LOWEST_PORT, HIGHEST_PORT)
        .filter(LocalServer::isFree)
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

  /** Suspends the server, which then does not answer requests until it is resumed. */
  void suspend() throws IOException, InterruptedException {
    signal("-STOP");
  }

  /** Resumes a suspended server. */
  void resume() throws IOException, InterruptedException {
    signal("-CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    List<String> processes = new ArrayList<>();
    processes.add(Long.toString(process.pid()));
    process.descendants().forEach(child -> processes.add(Long.toString(child.pid())));
    List<String> command = new ArrayList<>(List.of("kill", signal));
    command.addAll(processes);
    if (new ProcessBuilder(command).start().waitFor() != 0) {
      throw new IOException("could not send " + signal + " to " + processes);
    }
  }

  /** Ends the processes that the server started. */
  void endChildren() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    endChildren();
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
