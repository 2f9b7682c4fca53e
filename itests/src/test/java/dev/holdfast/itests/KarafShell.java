package dev.holdfast.itests;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ClientChannel;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.config.hosts.HostConfigEntryResolver;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;

/**
 * The Karaf shell of a node, by SSH as {@code holdfast shell} reaches it, without a program for
 * each command: the start of a program takes longer than most commands.
 */
final class KarafShell {
  private static final String USER = "karaf";
  private static final Duration ACCEPTED = Duration.ofSeconds(60);
  private static final Duration LOGIN = Duration.ofSeconds(20);
  private static final int ATTEMPTS = 6;
  private static final Duration DONE = Duration.ofSeconds(170);

  /** The exit code of SSH if no command was run. */
  private static final int NO_CONNECTION = 255;

  private static final SshClient CLIENT = client();

  private final Path data;

  /** The shell of the node that has its state there. */
  KarafShell(Path data) {
    this.data = data;
  }

  /** The node is known by the directory that its password is read from, not by a key. */
  private static SshClient client() {
    SshClient client = SshClient.setUpDefaultClient();
    client.setServerKeyVerifier((session, address, key) -> true);
    client.setHostConfigEntryResolver(HostConfigEntryResolver.EMPTY);
    client.setKeyIdentityProvider(KeyIdentityProvider.EMPTY_KEYS_PROVIDER);
    client.start();
    return client;
  }

  /** Runs commands; one that cannot be reached fails as any other. */
  Command.Result run(String commands) {
    try (ClientSession session = authenticated()) {
      return run(session, commands);
    } catch (IOException e) {
      return new Command.Result(NO_CONNECTION, "", String.valueOf(e));
    }
  }

  /**
   * Karaf's server sometimes leaves a login without an answer, seen after bundles were uninstalled.
   * The client then tries another connection; no command has run before. The threads of the node
   * are printed, because they show what the server waits for.
   */
  private ClientSession authenticated() throws IOException {
    for (int attempt = 1; ; attempt++) {
      ClientSession session = connect();
      try {
        session.addPasswordIdentity(
            properties("karaf/etc/users.properties").getProperty(USER).split(",", 2)[0]);
        session.auth().verify(LOGIN);
        return session;
      } catch (IOException e) {
        session.close(true);
        if (attempt == ATTEMPTS) {
          throw e;
        }
        System.out.println("the shell did not answer a login, attempt " + attempt + ": " + e);
        if (attempt == 1) {
          System.out.println(threadsOfNode());
        }
      }
    }
  }

  private String threadsOfNode() throws IOException {
    String pid = Files.readString(data.resolve("holdfast.pid")).strip();
    return Command.of("jcmd", pid, "Thread.print", "-l").run().out();
  }

  private ClientSession connect() throws IOException {
    Properties settings = properties("holdfast.env");
    return CLIENT
        .connect(USER, address(settings), Integer.parseInt(settings.getProperty("ssh_port")))
        .verify(ACCEPTED)
        .getSession();
  }

  private static Command.Result run(ClientSession session, String commands) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (ClientChannel channel = session.createExecChannel(commands)) {
      channel.setOut(out);
      channel.setErr(err);
      channel.open().verify(ACCEPTED);
      Set<ClientChannelEvent> seen = channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), DONE);
      if (seen.contains(ClientChannelEvent.TIMEOUT)) {
        throw new AssertionError("no end within " + DONE + ": " + commands + "\n" + text(out));
      }
      int code = Optional.ofNullable(channel.getExitStatus()).orElse(NO_CONNECTION);
      return new Command.Result(code, text(out), text(err));
    }
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8).strip();
  }

  /** As the node chooses it: on loopback, wherever its other services listen. */
  private static String address(Properties settings) {
    String address = settings.getProperty("address");
    return address.startsWith("127.") ? address : "127.0.0.1";
  }

  private Properties properties(String file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(data.resolve(file))) {
      properties.load(reader);
      return properties;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
