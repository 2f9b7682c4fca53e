package dev.holdfast.backuptarget.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An Azurite server, Microsoft's emulator of Azure's blob storage, with its content in memory.
 * {@code itests/lib/azurite} installs it once per user. One thread starts and closes it.
 */
public final class AzuriteServer implements AutoCloseable {
  /** The only account. */
  public static final String ACCOUNT = "holdfasttest";

  /** The key of the account, which logs and messages must not contain. */
  public static final String KEY = "cGxhbnRlZC1zZWNyZXQtb2YtdGhlLXRlc3Q=";

  private final int port;
  private final LocalServer server;

  private AzuriteServer(int port, LocalServer server) {
    this.port = port;
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param folder folder of its log
   * @throws IOException if it cannot be installed, or does not answer
   */
  public static AzuriteServer start(Path folder) throws IOException, InterruptedException {
    int port = LocalServer.freePort();
    List<String> command =
        List.of(
            "node",
            LocalServer.program("itests/lib/azurite"),
            "--blobHost",
            "127.0.0.1",
            "--blobPort",
            Integer.toString(port),
            "--inMemoryPersistence",
            "--disableTelemetry",
            "--silent");
    return new AzuriteServer(
        port,
        LocalServer.start(
            command,
            Map.of("AZURITE_ACCOUNTS", ACCOUNT + ":" + KEY),
            folder.resolve("azurite.log"),
            port));
  }

  /** Returns its URL for the account. */
  public String endpoint() {
    return "http://127.0.0.1:" + port + "/" + ACCOUNT;
  }

  /** Returns a secret for this server. */
  public Map<String, byte[]> credentials() {
    return S3Server.credentials(
        Map.of(
            "AZBLOB_ACCOUNT_NAME",
            ACCOUNT,
            "AZBLOB_ACCOUNT_KEY",
            KEY,
            "AZBLOB_ENDPOINT",
            endpoint()));
  }

  @Override
  public void close() {
    server.close();
  }
}
