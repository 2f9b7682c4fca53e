package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubernetesConnectionTest {
  @TempDir Path directory;

  private Path kubeconfig(String context) throws IOException {
    return Files.writeString(
        directory.resolve("kubeconfig"),
        """
        apiVersion: v1
        kind: Config
        clusters:
        - name: c
          cluster: {server: "https://10.0.0.1:6443"}
        users:
        - name: u
          user: {token: secret}
        contexts:
        - name: c
          context: {cluster: c, user: u%s}
        current-context: c
        """
            .formatted(context));
  }

  private static KubernetesConnection open(Path file, Optional<String> namespace)
      throws StorageException {
    return KubernetesConnection.open(Optional.of(file), namespace, new ResourceJson());
  }

  @Test
  void theNamespaceIsTheSettingsElseTheContextsElseOurs() throws Exception {
    try (KubernetesConnection plain = open(kubeconfig(""), Optional.empty())) {
      assertThat(plain.server()).isEqualTo("https://10.0.0.1:6443");
      assertThat(plain.namespace()).isEqualTo("holdfast-system");
    }
    Path named = kubeconfig(", namespace: storage");
    try (KubernetesConnection ofContext = open(named, Optional.empty());
        KubernetesConnection ofSetting = open(named, Optional.of("mine"))) {
      assertThat(ofContext.namespace()).isEqualTo("storage");
      assertThat(ofSetting.namespace()).isEqualTo("mine");
    }
  }

  @Test
  void invalidKubeconfigIsRefused() throws Exception {
    Path missing = directory.resolve("missing");
    Path junk = Files.writeString(directory.resolve("junk"), "{{{");
    Path empty = Files.writeString(directory.resolve("empty"), "apiVersion: v1\nkind: Config\n");

    assertThat(codeOf(missing)).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(codeOf(junk)).isEqualTo(ErrorCode.INVALID);
    assertThat(codeOf(empty)).isEqualTo(ErrorCode.INVALID);
  }

  private static ErrorCode codeOf(Path file) {
    StorageException e =
        catchThrowableOfType(StorageException.class, () -> open(file, Optional.empty()).close());
    assertThat(e).as("a failure").isNotNull();
    return e.code();
  }
}
