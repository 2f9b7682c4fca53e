package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.apiserver.internal.auth.Credentials;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the server in the node's state directory. */
class NodeFilesTest {
  @TempDir Path data;

  @Test
  void tokenIsMadeOnceAndForTheOwnerOnly() throws Exception {
    String token = new Credentials(data).token();
    assertThat(token).hasSizeGreaterThan(40);
    assertThat(new Credentials(data).token()).isEqualTo(token);
    assertThat(Files.getPosixFilePermissions(data.resolve("token")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    Files.writeString(data.resolve("token"), " \n");
    assertThatThrownBy(() -> new Credentials(data).token())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("remove it");
  }

  @Test
  void kubeconfigIsReplacedWhenTheAddressChanges() throws Exception {
    Path ca = Files.writeString(data.resolve("ca.crt"), "PEM");
    Credentials credentials = new Credentials(data);
    credentials.writeKubeconfig("https://127.0.0.1:1", ca, "t");
    Object first = Files.readAttributes(data.resolve("kubeconfig"), "unix:ino").get("ino");
    credentials.writeKubeconfig("https://127.0.0.1:1", ca, "t");
    assertThat(Files.readAttributes(data.resolve("kubeconfig"), "unix:ino").get("ino"))
        .isEqualTo(first);
    credentials.writeKubeconfig("https://127.0.0.1:2", ca, "t");
    JsonNode config = new ObjectMapper().readTree(data.resolve("kubeconfig").toFile());
    assertThat(config.at("/clusters/0/cluster/server").asText()).isEqualTo("https://127.0.0.1:2");
    assertThat(config.at("/users/0/user/token").asText()).isEqualTo("t");
    assertThat(Files.getPosixFilePermissions(data.resolve("kubeconfig")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void settingsHaveDefaults() {
    ApiSettings settings = ApiSettings.read(Map.of("holdfast.data", "/d")::get);
    assertThat(settings.address().getPort()).isEqualTo(7443);
    assertThat(settings.url(7443)).isEqualTo("https://127.0.0.1:7443");
  }

  @Test
  void clientsGetTheAdvertisedAddress() {
    Map<String, String> properties =
        Map.of(
            "holdfast.data", "/d",
            "holdfast.address", "0.0.0.0",
            "holdfast.advertised.address", "fd00::1",
            "holdfast.api.port", "0");
    assertThat(ApiSettings.read(properties::get).url(99)).isEqualTo("https://[fd00::1]:99");
    Map<String, String> wildcard = Map.of("holdfast.data", "/d", "holdfast.address", "0.0.0.0");
    assertThat(ApiSettings.read(wildcard::get).url(99)).isEqualTo("https://127.0.0.1:99");
  }

  @Test
  void invalidPortsAreRejected() {
    for (String port : List.of("70000", "-1", "http")) {
      assertThatThrownBy(
              () -> ApiSettings.read(Map.of("holdfast.data", "/d", "holdfast.api.port", port)::get))
          .hasMessageContaining("holdfast.api.port");
    }
    assertThatThrownBy(() -> ApiSettings.read(Map.<String, String>of()::get))
        .hasMessageContaining("holdfast.data");
  }
}
