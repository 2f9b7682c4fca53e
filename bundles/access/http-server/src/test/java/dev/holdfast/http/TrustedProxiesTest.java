package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrustedProxiesTest {
  private static final TrustedProxies PROXIES =
      TrustedProxies.of("10.0.0.7, 192.168.1.0/24,fd00::/8");

  private static HttpRequestHead head(String client, Map<String, String> headers) throws Exception {
    Map<String, String> found = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    found.put("Host", "10.0.0.1:7443");
    found.putAll(headers);
    return new HttpRequestHead(
        "GET",
        List.of("page"),
        true,
        Map.of(),
        name -> Optional.ofNullable(found.get(name)),
        InetAddress.getByName(client),
        List.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10.0.0.7 | 203.0.113.9 | 203.0.113.9",
        "192.168.1.20 | 203.0.113.9 | 203.0.113.9",
        "fd00::1 | 2001:db8::5 | 2001:db8:0:0:0:0:0:5",
        "10.0.0.7 | 203.0.113.9, 192.168.1.3 | 203.0.113.9",
        "10.0.0.7 | 127.0.0.1, 203.0.113.9 | 203.0.113.9",
        "10.0.0.7 | no address, 192.168.1.3 | 192.168.1.3",
        "10.0.0.7 | '' | 10.0.0.7",
        "10.0.0.8 | 203.0.113.9 | 10.0.0.8",
        "192.168.2.1 | 203.0.113.9 | 192.168.2.1"
      })
  void clientIsTheLastHopThatIsNotTrusted(String sender, String forwarded, String client)
      throws Exception {
    HttpRequestHead seen = PROXIES.asSent(head(sender, Map.of("x-forwarded-for", forwarded)));
    assertThat(seen.client().getHostAddress()).isEqualTo(client);
  }

  @Test
  void hostIsTheForwardedOneOfATrustedProxyOnly() throws Exception {
    Map<String, String> headers = Map.of("x-forwarded-host", "storage.example", "Accept", "any");
    HttpRequestHead trusted = PROXIES.asSent(head("10.0.0.7", headers));
    assertThat(trusted.headers().apply("host")).contains("storage.example");
    assertThat(trusted.headers().apply("Accept")).contains("any");
    assertThat(PROXIES.asSent(head("10.0.0.7", Map.of())).headers().apply("Host"))
        .contains("10.0.0.1:7443");
    assertThat(PROXIES.asSent(head("10.0.0.9", headers)).headers().apply("Host"))
        .contains("10.0.0.1:7443");
    assertThat(TrustedProxies.NONE.asSent(head("10.0.0.7", headers)).headers().apply("Host"))
        .contains("10.0.0.1:7443");
  }

  @Test
  void wrongNetworkIsNamed() {
    assertThatThrownBy(() -> TrustedProxies.of("10.0.0.7,proxy.example"))
        .hasMessageContaining("proxy.example: expected a network");
    assertThatThrownBy(() -> TrustedProxies.of("10.0.0.0/33"))
        .hasMessageContaining("10.0.0.0/33: expected a prefix of 0 to 32 bits");
  }
}
