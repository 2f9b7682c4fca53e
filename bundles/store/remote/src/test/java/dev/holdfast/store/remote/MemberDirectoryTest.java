package dev.holdfast.store.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Renewal of certificates by a real authority behind a path of the API. */
@Timeout(60)
class MemberDirectoryTest {
  private static final Clock NOW = Clock.systemUTC();
  private static final String CREDENTIAL = "of-node-2";

  @TempDir Path directory;
  private NodeAuthority authority;
  private HttpsServer server;
  private Path data;
  private int requests;
  private boolean rotates = true;
  private final List<JsonNode> reports = new CopyOnWriteArrayList<>();

  @BeforeEach
  void join() throws Exception {
    NodeTls tls = TlsDirectory.prepare(directory.resolve("tls"), List.of("127.0.0.1"), NOW);
    authority = TlsDirectory.authority(directory.resolve("tls"), NOW);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls.serverContext()));
    server.createContext("/cluster/v1/certificates", this::sign);
    server.createContext("/cluster/v1/trust", this::trust);
    server.start();
    data = directory.resolve("member");
    String request = TlsDirectory.request(tlsOfMember(), "node-2", List.of("node-2", "10.0.0.7"));
    TlsDirectory.accept(tlsOfMember(), authority.certificate(), signed(request));
    ApiConnection connection =
        new ApiConnection(
            URI.create("https://127.0.0.1:" + server.getAddress().getPort()),
            CREDENTIAL,
            authority.certificate());
    Files.createDirectory(data.resolve("cluster"));
    Files.writeString(data.resolve("cluster/kubeconfig"), connection.toKubeconfig("node-2"));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Path tlsOfMember() {
    return data.resolve("tls");
  }

  private String signed(String request) throws StorageException {
    return authority.sign(TlsDirectory.parseRequest(request));
  }

  private void sign(HttpExchange exchange) throws IOException {
    requests++;
    assertThat(exchange.getRequestHeaders().getFirst("Authorization"))
        .isEqualTo("Bearer " + CREDENTIAL);
    ObjectMapper json = new ObjectMapper();
    try (exchange) {
      String request = json.readTree(exchange.getRequestBody()).path("request").asText();
      byte[] answer =
          json.createObjectNode().put("certificate", signed(request)).toString().getBytes(UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    } catch (StorageException e) {
      throw new IOException(e);
    }
  }

  private void trust(HttpExchange exchange) throws IOException {
    try (exchange) {
      reports.add(new ObjectMapper().readTree(exchange.getRequestBody()));
      byte[] answer =
          new ObjectMapper()
              .createObjectNode()
              .put("caCertificate", authority.certificate())
              .toString()
              .getBytes(UTF_8);
      exchange.sendResponseHeaders(rotates ? 200 : 404, rotates ? answer.length : -1);
      if (rotates) {
        exchange.getResponseBody().write(answer);
      }
    } catch (StorageException e) {
      throw new IOException(e);
    }
  }

  private JsonNode lastReport() {
    return reports.get(reports.size() - 1);
  }

  private List<String> known() throws StorageException {
    return TlsDirectory.fingerprints(authority.certificate());
  }

  @Test
  void memberFollowsARotationAndReachesTheServerAtEachStep() throws Exception {
    AuthorityRotation rotation = TlsDirectory.rotation(directory.resolve("tls"), NOW);
    MemberDirectory member = new MemberDirectory(data);
    String old = known().get(0);
    assertThat(member.followAuthority("node-2")).isFalse();
    assertThat(lastReport().path("issuer").asText()).isEqualTo(old);

    rotation.begin();
    assertThat(member.followAuthority("node-2")).isTrue();
    assertThat(lastReport().path("trusted").toString()).contains(known().get(1));
    assertThat(lastReport().path("issuer").asText()).isEqualTo(old);
    assertThat(requests).isZero();

    rotation.sign();
    assertThat(member.followAuthority("node-2")).isTrue();
    assertThat(requests).isEqualTo(1);
    assertThat(lastReport().path("issuer").asText()).isEqualTo(known().get(0)).isNotEqualTo(old);
    assertThat(TlsDirectory.presentNames(tlsOfMember())).contains("10.0.0.7");

    rotation.finish();
    assertThat(member.followAuthority("node-2")).isTrue();
    assertThat(lastReport().path("trusted").toString()).doesNotContain(old);
    assertThat(member.followAuthority("node-2")).isFalse();
    assertThat(new MemberDirectory(data).followAuthority("node-2")).isFalse();
  }

  /** The crash leaves an authority in only one of the two files; the next report repairs this. */
  @Test
  void memberReportsOnlyAuthoritiesThatBothFilesTrust() throws Exception {
    AuthorityRotation rotation = TlsDirectory.rotation(directory.resolve("tls"), NOW);
    rotation.begin();
    TlsDirectory.trust(tlsOfMember(), authority.certificate());

    assertThat(new MemberDirectory(data).followAuthority("node-2")).isTrue();

    assertThat(reports.get(0).path("trusted")).hasSize(1);
    assertThat(lastReport().path("trusted")).hasSize(2);
  }

  @Test
  void memberOfAServerWithoutRotationsChangesNothing() throws Exception {
    rotates = false;

    assertThat(new MemberDirectory(data).followAuthority("node-2")).isFalse();
  }

  private static Clock after(Duration time) {
    return Clock.offset(NOW, time);
  }

  @Test
  void certificateIsRenewedTenDaysBeforeItsEnd() throws Exception {
    MemberDirectory member = new MemberDirectory(data);
    String before = Files.readString(tlsOfMember().resolve("server.crt"));
    List<String> names = TlsDirectory.presentNames(tlsOfMember());

    assertThat(member.renewIfDue("node-2", after(Duration.ofDays(19)))).isFalse();
    assertThat(requests).isZero();
    assertThat(member.renewIfDue("node-2", after(Duration.ofDays(21)))).isTrue();
    assertThat(requests).isEqualTo(1);
    assertThat(Files.readString(tlsOfMember().resolve("server.crt"))).isNotEqualTo(before);
    assertThat(TlsDirectory.presentNames(tlsOfMember())).isEqualTo(names).contains("10.0.0.7");
  }

  @Test
  void certificateStaysWhileTheAuthorityIsAway() throws Exception {
    server.stop(0);
    String before = Files.readString(tlsOfMember().resolve("server.crt"));

    assertThatThrownBy(
            () -> new MemberDirectory(data).renewIfDue("node-2", after(Duration.ofDays(21))))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    assertThat(Files.readString(tlsOfMember().resolve("server.crt"))).isEqualTo(before);
  }

  @Test
  void nodeWithTheAuthoritySignsForItself() throws Exception {
    MemberDirectory first = new MemberDirectory(directory);
    String before = Files.readString(directory.resolve("tls/server.crt"));

    assertThat(first.renew("node-1", List.of())).isEmpty();
    assertThat(Files.readString(directory.resolve("tls/server.crt"))).isNotEqualTo(before);
    assertThat(requests).isZero();
  }
}
