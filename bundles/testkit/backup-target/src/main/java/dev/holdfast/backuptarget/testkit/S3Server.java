package dev.holdfast.backuptarget.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A versitygw server, a third-party S3 server over a folder, in which each folder is a bucket.
 * {@code itests/lib/versitygw} builds the program once per user. One thread starts and closes it.
 */
public final class S3Server implements AutoCloseable {
  /** The region of its buckets. */
  public static final String REGION = "eu-test-1";

  /** The only access key. */
  public static final String ID = "holdfast-test-id";

  /** The secret of the access key, which logs and messages must not contain. */
  public static final String SECRET = "planted-secret-of-the-test";

  private final Path root;
  private final int port;
  private final LocalServer server;

  private S3Server(Path root, int port, LocalServer server) {
    this.root = root;
    this.port = port;
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param folder folder of its buckets and its log
   * @param options additional options of versitygw
   * @throws IOException if it cannot be built, or does not answer
   */
  public static S3Server start(Path folder, String... options)
      throws IOException, InterruptedException {
    Path root = Files.createDirectories(folder.resolve("buckets"));
    int port = LocalServer.freePort();
    List<String> command =
        new ArrayList<>(
            List.of(LocalServer.program("itests/lib/versitygw"), "--port", "127.0.0.1:" + port));
    command.addAll(List.of("--region", REGION, "--keep-alive"));
    command.addAll(List.of(options));
    command.addAll(List.of("posix", root.toString()));
    return new S3Server(
        root,
        port,
        LocalServer.start(
            command,
            Map.of("ROOT_ACCESS_KEY", ID, "ROOT_SECRET_KEY", SECRET),
            folder.resolve("versitygw.log"),
            port));
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

  /** Returns values in the form of a secret. */
  public static Map<String, byte[]> credentials(Map<String, String> values) {
    Map<String, byte[]> secret = new HashMap<>();
    values.forEach((key, value) -> secret.put(key, value.getBytes(StandardCharsets.UTF_8)));
    return secret;
  }

  @Override
  public void close() {
    server.close();
  }
}
