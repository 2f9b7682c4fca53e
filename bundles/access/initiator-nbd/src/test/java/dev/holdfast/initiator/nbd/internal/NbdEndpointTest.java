package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NbdEndpointTest {
  private static NbdEndpoint parse(String uri) throws Exception {
    return NbdEndpoint.parse(URI.create(uri));
  }

  @Test
  void hostPortAndExport() throws Exception {
    assertThat(parse("nbd://127.0.0.1:10810/demo"))
        .isEqualTo(
            new NbdEndpoint(
                "127.0.0.1",
                10810,
                Optional.empty(),
                "demo",
                OptionalLong.empty(),
                Optional.empty()));
  }

  @Test
  void thePortOfNbdIsTheDefault() throws Exception {
    assertThat(parse("nbd://node-1/demo").port()).isEqualTo(10809);
  }

  @Test
  void anAddressOfIpv6LosesItsBrackets() throws Exception {
    assertThat(parse("nbd://[::1]:1/demo").host()).isEqualTo("::1");
  }

  @Test
  void aUnixSocketHasNoHost() throws Exception {
    assertThat(parse("nbd+unix:///demo?socket=/run/a%20b.sock"))
        .isEqualTo(
            new NbdEndpoint(
                "",
                0,
                Optional.of("/run/a b.sock"),
                "demo",
                OptionalLong.empty(),
                Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nbd:///demo", "http://host/demo", "nbd+unix:///demo"})
  void anythingElseIsRefused(String uri) {
    assertThatThrownBy(() -> parse(uri)).hasMessageStartingWith(uri + " is not an endpoint");
  }

  @Test
  void theServerIsGivenTimeToComeBack() throws Exception {
    assertThat(parse("nbd://h:1/a").blockNode().path("reconnect-delay").asInt())
        .isGreaterThanOrEqualTo(60);
  }

  @Test
  void nameOfAnExportCannotBecomeAnOption() throws Exception {
    assertThat(parse("nbd://h:1/a,driver=file").blockNode().path("export").asText())
        .isEqualTo("a,driver=file");
  }

  @Test
  void growableEndpointRequestsReserve() throws Exception {
    URI plain = URI.create("nbd://127.0.0.1:10809/demo");
    URI growable = NbdEndpoint.growable(plain, 4096);

    assertThat(growable).hasToString("nbd://127.0.0.1:10809/demo?growable=4096");
    assertThat(NbdEndpoint.growable(growable, 8192)).isEqualTo(growable);
    NbdEndpoint endpoint = NbdEndpoint.parse(growable);
    assertThat(endpoint.growable()).hasValue(4096);
    assertThat(endpoint.blockNode().path("export").asText()).isEqualTo("demo?growable");
    assertThat(endpoint.fixed()).isEqualTo(NbdEndpoint.parse(plain));
    assertThat(endpoint.fixed().blockNode().path("export").asText()).isEqualTo("demo");
  }
}
