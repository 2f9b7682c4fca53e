package dev.holdfast.store.etcd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdSettingsTest {
  private static EtcdSettings read(Map<String, String> given) throws StorageException {
    Map<String, String> properties =
        given.entrySet().stream()
            .collect(Collectors.toMap(e -> "holdfast.etcd." + e.getKey(), Map.Entry::getValue));
    return EtcdSettings.read(properties::get);
  }

  @Test
  void endpointsMayBeMany() throws Exception {
    EtcdSettings settings =
        read(Map.of("endpoints", "https://a.example:2379, https://b.example:2379,", "ca", "/ca"));

    assertThat(settings.endpoints()).hasSize(2);
    assertThat(settings.isSecure()).isTrue();
    assertThat(settings.prefix()).isEqualTo("/holdfast.dev/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " , ",
        "a:2379",
        "ftp://a:1",
        "http://a",
        "http://a:1,https://b:1",
        "h ttp://"
      })
  void otherEndpointsAreRefused(String endpoints) {
    assertThatThrownBy(() -> read(Map.of("endpoints", endpoints)))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("holdfast.etcd.endpoints");
  }

  @Test
  void aCertificateNeedsItsKey() {
    assertThatThrownBy(() -> read(Map.of("endpoints", "https://a:1", "cert", "/c")))
        .hasMessageContaining("holdfast.etcd.key");
    assertThatThrownBy(() -> read(Map.of("endpoints", "https://a:1", "key", "/k")))
        .hasMessageContaining("holdfast.etcd.cert");
  }

  @Test
  void aPrefixEndsWithASlash() throws Exception {
    assertThat(read(Map.of("endpoints", "http://a:1", "prefix", "/mine")).prefix())
        .isEqualTo("/mine/");
  }

  @Test
  void aUserNeedsItsPassword() throws Exception {
    assertThatThrownBy(() -> read(Map.of("endpoints", "https://a:1", "user", "u")))
        .hasMessageContaining("holdfast.etcd.password.file");
    assertThatThrownBy(() -> read(Map.of("endpoints", "https://a:1", "password.file", "/p")))
        .hasMessageContaining("holdfast.etcd.user");
    assertThat(
            read(Map.of("endpoints", "https://a:1", "user", "u", "password.file", "/p"))
                .login()
                .orElseThrow()
                .name())
        .isEqualTo("u");
  }

  @Test
  void historyIsANumberOfMinutes() throws Exception {
    assertThat(read(Map.of("endpoints", "http://a:1")).history()).hasMinutes(60);
    assertThat(read(Map.of("endpoints", "http://a:1", "history.minutes", "0")).history()).isZero();
    assertThatThrownBy(() -> read(Map.of("endpoints", "http://a:1", "history.minutes", "-1")))
        .hasMessageContaining("holdfast.etcd.history.minutes");
  }
}
