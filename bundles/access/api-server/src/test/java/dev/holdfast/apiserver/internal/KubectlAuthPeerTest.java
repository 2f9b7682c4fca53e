package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessBindingSpec;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.access.TokenSecret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code kubectl auth}, by JSON of the old kubectl and by protobuf of the new one. */
@Tag("slow")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KubectlAuthPeerTest {
  @TempDir Path directory;
  private TestServer server;
  private String token;

  static List<Kubectl> kubectls() throws Exception {
    return Kubectl.all();
  }

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory);
    TokenSecret secret = TokenSecret.random();
    AccessToken created =
        server
            .store()
            .create(
                AccessToken.of(
                    "viewer",
                    AccessTokenSpec.EMPTY.withRole("view").withSecretHash(secret.hash())));
    assertThat(created.name()).isEqualTo("viewer");
    token = secret.text();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Kubectl.Result canI(Kubectl kubectl, String verb, String what) throws Exception {
    return kubectl.run(server, "--token", token, "auth", "can-i", verb, what);
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void canIReportsTheRightsOfTheToken(Kubectl kubectl) throws Exception {
    assertThat(canI(kubectl, "list", "volumes").succeeds().out()).isEqualTo("yes\n");
    assertThat(canI(kubectl, "delete", "volumes").fails().out()).startsWith("no");
    String longName = "volumes/" + "n".repeat(240);
    assertThat(canI(kubectl, "get", longName).succeeds().out()).isEqualTo("yes\n");
    assertThat(canI(kubectl, "get", "/metrics").fails().out()).startsWith("no");
    assertThat(kubectl.run(server, "auth", "can-i", "*", "*").succeeds().out()).isEqualTo("yes\n");
    assertThat(kubectl.run(server, "--token", token, "auth", "can-i", "--list").succeeds().out())
        .contains("[get list watch]");
    if (!kubectl.version().equals("1.20")) {
      assertThat(kubectl.run(server, "--token", token, "auth", "whoami").succeeds().out())
          .contains("viewer");
    }
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void certificateNamesTheUser(Kubectl kubectl) throws Exception {
    AccessBinding unused =
        server
            .store()
            .create(
                AccessBinding.of(
                    "alice", new AccessBindingSpec("view", List.of("cert:alice"), List.of())));
    TestAuthority authority = TestAuthority.create(directory.resolve("authority"));
    authority.user("alice", "/CN=alice", 1);
    Files.copy(authority.certificate(), server.userAuthorities());

    assertThat(asAlice(kubectl, "auth", "can-i", "list", "volumes").succeeds().out())
        .isEqualTo("yes\n");
    assertThat(asAlice(kubectl, "auth", "can-i", "delete", "volumes").fails().out())
        .startsWith("no");
    assertThat(asAlice(kubectl, "get", "volumes").succeeds().err()).contains("No resources found");
  }

  private Kubectl.Result asAlice(Kubectl kubectl, String... words) throws Exception {
    Path files = directory.resolve("authority");
    List<String> all =
        new ArrayList<>(
            List.of(
                "--kubeconfig=/dev/null",
                "--server=" + server.url(),
                "--certificate-authority=" + directory.resolve("tls/ca.crt"),
                "--client-certificate=" + files.resolve("alice.crt"),
                "--client-key=" + files.resolve("alice.key")));
    all.addAll(List.of(words));
    return kubectl.run(server, all.toArray(String[]::new));
  }
}
