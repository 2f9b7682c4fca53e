package dev.holdfast.backuptarget.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Samba server with one share, on a port of this machine, with all its files below a folder.
 * {@code itests/lib/samba} installs it. It must run as root. Names are case-sensitive like keys.
 * One thread starts and closes it.
 */
public final class SambaServer implements AutoCloseable {
  /** The share. */
  public static final String SHARE = "backups";

  /** The only user, which exists on each Debian system. */
  public static final String USER = "backup";

  /** The password of the user, which logs and messages must not contain. */
  public static final String PASSWORD = "planted secret of the test";

  private final Path root;
  private final int port;
  private final LocalServer server;

  private SambaServer(Path root, int port, LocalServer server) {
    this.root = root;
    this.port = port;
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param folder folder of its share, its state and its log
   * @throws IOException if it cannot be installed, or does not answer
   */
  public static SambaServer start(Path folder) throws IOException, InterruptedException {
    Path root = Files.createDirectories(folder.resolve("share"));
    Path state = Files.createDirectories(folder.resolve("state"));
    int port = LocalServer.freePort();
    Path config =
        Files.writeString(
            folder.resolve("smb.conf"),
            """
            [global]
            smb ports = %d
            interfaces = 127.0.0.1
            bind interfaces only = yes
            disable netbios = yes
            load printers = no
            printcap name = /dev/null
            private dir = %2$s
            lock directory = %2$s
            state directory = %2$s
            cache directory = %2$s
            pid directory = %2$s
            ncalrpc dir = %2$s/ncalrpc
            passdb backend = tdbsam:%2$s/passdb.tdb
            log file = %2$s/log
            server min protocol = SMB2
            map to guest = never
            [%3$s]
            path = %4$s
            read only = no
            case sensitive = yes
            force user = root
            """
                .formatted(port, state, SHARE, root));
    String program = LocalServer.program("itests/lib/samba");
    addUser(config);
    return new SambaServer(
        root,
        port,
        LocalServer.start(
            List.of(
                program,
                "--foreground",
                "--no-process-group",
                "--debug-stdout",
                "--configfile=" + config),
            Map.of(),
            folder.resolve("samba.log"),
            port));
  }

  private static void addUser(Path config) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("smbpasswd", "-c", config.toString(), "-a", "-s", USER)
            .redirectErrorStream(true)
            .start();
    process
        .getOutputStream()
        .write((PASSWORD + "\n" + PASSWORD + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new IOException("no user of Samba: " + output);
    }
  }

  /** Creates a folder in the share, and returns it. */
  public Path folder(String name) throws IOException {
    return Files.createDirectory(root.resolve(name));
  }

  /** Returns the address of a folder. */
  public String url(String folder) {
    return "cifs://127.0.0.1:" + port + "/" + SHARE + "/" + folder;
  }

  /** Returns a secret for this server. */
  public Map<String, byte[]> credentials() {
    return S3Server.credentials(Map.of("CIFS_USERNAME", USER, "CIFS_PASSWORD", PASSWORD));
  }

  /** Suspends the server, which then does not answer requests until it is resumed. */
  public void suspend() throws IOException, InterruptedException {
    server.suspend();
  }

  /** Resumes a suspended server. */
  public void resume() throws IOException, InterruptedException {
    server.resume();
  }

  /** Ends the processes that serve connections; new connections are still accepted. */
  public void dropConnections() {
    server.endChildren();
  }

  @Override
  public void close() {
    server.close();
  }
}
