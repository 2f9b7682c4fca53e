package dev.holdfast.store.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiConnectionTest {
  private static final String YAML =
      """
      apiVersion: v1
      kind: Config
      current-context: b
      clusters:
      - name: one
        cluster:
          server: https://127.0.0.1:1
      - name: two
        cluster:
          server: https://127.0.0.1:2
          certificate-authority-data: UEVN
      users:
      - name: me
        user:
          token: secret
      contexts:
      - name: a
        context: {cluster: one, user: me}
      - name: b
        context: {cluster: two, user: me}
      """;
  private static final String JSON =
      """
      {"current-context": "b",
       "contexts": [{"name": "b", "context": {"cluster": "two", "user": "me"}}],
       "clusters": [{"name": "two", "cluster": {"server": "https://127.0.0.1:2",
                                                "certificate-authority": "ca.crt"}}],
       "users": [{"name": "me", "user": {"token": "secret"}}]}
      """;

  @TempDir Path directory;

  private ApiConnection read(String content) throws Exception {
    Files.writeString(directory.resolve("ca.crt"), "PEM");
    return ApiConnection.ofKubeconfig(Files.writeString(directory.resolve("kubeconfig"), content));
  }

  @Test
  void theCurrentContextIsRead() throws Exception {
    for (String content : List.of(YAML, JSON)) {
      ApiConnection connection = read(content);
      assertThat(connection.server()).isEqualTo(URI.create("https://127.0.0.1:2"));
      assertThat(connection.token()).isEqualTo("secret");
      assertThat(connection.caCertificate()).isEqualTo("PEM");
    }
  }

  @Test
  void theTokenIsNotPrinted() throws Exception {
    assertThat(read(YAML).toString()).doesNotContain("secret").contains("https://127.0.0.1:2");
  }

  @Test
  void missingFieldIsNamed() {
    assertThatThrownBy(() -> read(YAML.replace("current-context: b", "current-context: c")))
        .hasMessageContaining("no context named \"c\"");
    assertThatThrownBy(() -> read(YAML.replace("token: secret", "username: x")))
        .hasMessageContaining("has no token");
    assertThatThrownBy(() -> read("{\"a\": ")).hasMessageContaining("not a kubeconfig");
    assertThatThrownBy(() -> ApiConnection.ofKubeconfig(directory.resolve("nope")))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .hasMessageContaining("is the node running?");
  }
}
