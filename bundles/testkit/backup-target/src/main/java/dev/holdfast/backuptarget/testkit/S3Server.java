package dev.holdfast.backuptarget.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A versitygw, an S3 server of another project, over a folder: each folder in it is a bucket.
 * {@code itests/lib/versitygw} builds the program once per user. One thread starts and closes it.
 */
public final class S3Server implements AutoCloseable {
  /** The region of its buckets. */
  public static final String REGION = "eu-test-1";

  /** The only access key. */
  public static final String ID = "holdfast-test-id";

  /** The secret of the access key, which no log and no message may show. */
  public static final String SECRET = "planted-secret-of-the-test";

  private static final String PROGRAM = "itests/lib/versitygw";
  private static final long BUILD_LIMIT_MINUTES = 30;
  private static final long START_LIMIT_SECONDS = 60;
  private static final int LOWEST_PORT = 11_000;
  private static final int HIGHEST_PORT = 32_000;

  private final Path root;
  private final Path log;
  private final int port;
  private final Process process;
  private final Thread hook;

  private S3Server(Path root, Path log, int port, Process process) {
    this.root = root;
    this.log = log;
    this.port = port;
    this.process = process;
    this.hook = new Thread(process::destroyForcibly, "kill-" + process.pid());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts one.
   *
   * @param folder where its buckets and its log are kept
   * @param options further ones of versitygw
   * @throws IOException if it cannot be built, or does not serve
   */
  public static S3Server start(Path folder, String... options)
      throws IOException, InterruptedException {
    Path root = Files.createDirectories(folder.resolve("buckets"));
    Path log = folder.resolve("versitygw.log");
    int port = freePort();
    List<String> command = new ArrayList<>(List.of(program(), "--port", "127.0.0.1:" + port));
    command.addAll(List.of("--region", REGION, "--keep-alive"));
    command.addAll(List.of(options));
    command.addAll(List.of("posix", root.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("ROOT_ACCESS_KEY", ID);
    builder.environment().put("ROOT_SECRET_KEY", SECRET);
    S3Server server = new S3Server(root, log, port, builder.start());
    try {
      server.awaitAnswer();
    } catch (IOException | InterruptedException e) {
      server.close();
      throw e;
    }
    return server;
  }

  private void awaitAnswer() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_LIMIT_SECONDS);
    while (!answers()) {
      if (process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
        throw new IOException("versitygw does not serve:\n" + Files.readString(log));
      }
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Creates an empty bucket, and returns its folder. */
  public Path bucket(String name) throws IOException {
    return Files.createDirectory(root.resolve(name));
  }

  /** Returns its URL. */
  public String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  /** Returns a secret for this server. */
  public Map<String, byte[]> credentials() {
    return credentials(
        Map.of(
            "AWS_ACCESS_KEY_ID", ID, "AWS_SECRET_ACCESS_KEY", SECRET, "AWS_ENDPOINTS", endpoint()));
  }

  /** Returns values as a secret keeps them. */
  public static Map<String, byte[]> credentials(Map<String, String> values) {
    Map<String, byte[]> secret = new HashMap<>();
    values.forEach((key, value) -> secret.put(key, value.getBytes(StandardCharsets.UTF_8)));
    return secret;
  }

  private static String program() throws IOException, InterruptedException {
    Path tree = Path.of("").toAbsolutePath();
    while (tree != null && !Files.exists(tree.resolve(PROGRAM))) {
      tree = tree.getParent();
    }
    if (tree == null) {
      throw new IOException("no " + PROGRAM + " above " + Path.of("").toAbsolutePath());
    }
    Path errors = Files.createTempFile("versitygw", ".log");
    try {
      Process script =
          new ProcessBuilder(tree.resolve(PROGRAM).toString())
              .redirectError(errors.toFile())
              .start();
      String path = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!script.waitFor(BUILD_LIMIT_MINUTES, TimeUnit.MINUTES) || script.exitValue() != 0) {
        throw new IOException("no versitygw: " + Files.readString(errors));
      }
      return path.strip();
    } finally {
      Files.deleteIfExists(errors);
    }
  }

  /** Returns a port that no process listens on, below those that the kernel gives to clients. */
  private static int freePort() {
    return ThreadLocalRandom.current()
        .ints(LOWEST_PORT, HIGHEST_PORT)
        .filter(S3Server::isFree)
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
      // The JVM ends, and the hook runs.
      return;
    }
  }
}
