package dev.holdfast.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterTest {
  private static final Instant NOW = Instant.parse("2026-11-21T00:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path data;

  private final MemoryResourceStore store = new MemoryResourceStore();
  private LocalCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = at(NOW);
  }

  /** Returns the cluster after a start at a given time. */
  private LocalCluster at(Instant now) throws StorageException {
    Clock clock = Clock.fixed(now, ZoneOffset.UTC);
    Path tls = data.resolve("tls");
    List<String> names = List.of("localhost", "127.0.0.1", "10.0.0.1", "node-1");
    NodeTls own = TlsDirectory.prepare(tls, "node-1", names, clock);
    return new LocalCluster(
        data.resolve("cluster"),
        "node-1",
        TlsDirectory.authority(tls, clock),
        TlsDirectory.rotation(tls, clock),
        own,
        store,
        clock);
  }

  private String token() throws StorageException {
    return cluster.newToken(HOUR).token().text();
  }

  /** Returns a request of a machine, which keeps its key. */
  private String request(String machine, String node, String... names) throws StorageException {
    return TlsDirectory.request(data.resolve(machine), node, List.of(names));
  }

  private static void refused(ErrorCode code, ThrowingCallable call, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }

  @Test
  void aNodeGetsACertificateForItsKeyAndACredential() throws Exception {
    JoinAnswer answer = cluster.join(token(), request("m2", "node-2", "node-2", "10.0.0.2"));

    TlsDirectory.accept(data.resolve("m2"), answer.caCertificate(), answer.certificate());
    NodeTls joined =
        TlsDirectory.prepare(data.resolve("m2"), "node-2", List.of(), Clock.systemUTC());
    assertThat(joined.peerName(joined.keyManager().getCertificateChain("0"))).isEqualTo("node-2");
    assertThat(cluster.nodeOf(answer.credential())).contains("node-2");
    assertThat(at(NOW).nodeOf(answer.credential())).as("after a restart").contains("node-2");
  }

  @Test
  void aTokenServesOneNode() throws Exception {
    String token = token();
    cluster.join(token, request("m2", "node-2"));

    refused(
        ErrorCode.FORBIDDEN, () -> cluster.join(token, request("m3", "node-3")), "used already");
    refused(
        ErrorCode.FORBIDDEN, () -> cluster.join(token, request("m2", "node-3")), "used already");
  }

  @Test
  void nodeRepeatsItsRequestAfterALostReply() throws Exception {
    String token = token();
    JoinAnswer lost = cluster.join(token, request("m2", "node-2"));
    JoinAnswer again = at(NOW).join(token, request("m2", "node-2"));

    assertThat(at(NOW).nodeOf(lost.credential())).as("the lost one").isEmpty();
    assertThat(at(NOW).nodeOf(again.credential())).contains("node-2");
  }

  @Test
  void anExpiredTokenIsRefused() throws Exception {
    String token = token();
    LocalCluster later = at(NOW.plus(HOUR).plusSeconds(1));

    refused(ErrorCode.FORBIDDEN, () -> later.join(token, request("m2", "node-2")), "expired at");
  }

  @Test
  void aTokenWithAnotherSecretIsRefused() throws Exception {
    JoinToken real = cluster.newToken(HOUR).token();
    JoinToken guessed = new JoinToken(real.id(), "x".repeat(32), real.fingerprint());

    refused(
        ErrorCode.FORBIDDEN,
        () -> cluster.join(guessed.text(), request("m2", "node-2")),
        "not known");
    assertThat(cluster.join(real.text(), request("m2", "node-2")).node()).isEqualTo("node-2");
  }

  @Test
  void noSecretIsKeptInTheClear() throws Exception {
    IssuedToken issued = cluster.newToken(HOUR);
    String credential = cluster.join(issued.token().text(), request("m2", "node-2")).credential();
    StringBuilder kept = new StringBuilder();
    try (Stream<Path> files = Files.walk(data.resolve("cluster"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        kept.append(Files.readString(file));
      }
    }

    assertThat(kept.toString())
        .contains("secretSha256")
        .doesNotContain(issued.token().secret())
        .doesNotContain(credential.substring(5, 48));
    assertThat(issued.toString()).doesNotContain(issued.token().secret());
  }

  @Test
  void namesOfMembersAreTaken() throws Exception {
    cluster.join(token(), request("m2", "node-2"));
    store.create(Node.of("node-9", NodeSpec.EMPTY));

    for (String taken : List.of("node-1", "node-2", "node-9")) {
      refused(
          ErrorCode.ALREADY_EXISTS,
          () -> cluster.join(token(), request("other", taken)),
          "node remove");
    }
  }

  @Test
  void aCertificateDoesNotNameOtherNodes() throws Exception {
    Node other = store.create(Node.of("node-5", NodeSpec.EMPTY));
    store.updateStatus(other.withStatus(NodeStatus.EMPTY.withAddress("10.0.0.5")));

    for (String foreign : List.of("node-1", "10.0.0.1", "node-5", "10.0.0.5")) {
      refused(
          ErrorCode.FORBIDDEN,
          () -> cluster.join(token(), request("m2", "node-2", foreign)),
          foreign);
    }
    String loopback = request("m2", "node-2", "localhost", "127.0.0.1", "::1");
    assertThat(cluster.join(token(), loopback).node()).isEqualTo("node-2");
  }

  @Test
  void invalidNamesAreRejected() {
    for (String name : List.of("Node 2", "../node", "-", "a".repeat(64))) {
      refused(
          ErrorCode.INVALID,
          () -> cluster.join(token(), request("m2", name)),
          "not a name for a node");
    }
  }

  @Test
  void aRevokedCredentialIsNobodys() throws Exception {
    String credential = cluster.join(token(), request("m2", "node-2")).credential();
    cluster.revoke("node-2");
    cluster.revoke("node-2");

    assertThat(cluster.nodeOf(credential)).isEmpty();
    assertThat(at(NOW).nodeOf(credential)).isEmpty();
    assertThat(cluster.join(token(), request("m3", "node-2")).node()).isEqualTo("node-2");
    refused(ErrorCode.INVALID, () -> cluster.revoke("node-1"), "has the store");
  }

  @Test
  void aNodeRenewsItsOwnCertificateOnly() throws Exception {
    cluster.join(token(), request("m2", "node-2"));

    String renewed = cluster.renew("node-2", request("m2", "node-2", "10.0.0.7"));
    TlsDirectory.accept(data.resolve("m2"), cluster.authority(), renewed);
    refused(
        ErrorCode.FORBIDDEN,
        () -> cluster.renew("node-2", request("m2", "node-3")),
        "asks for the certificate of node-3");
  }

  @Test
  void invalidRequestIsRefused() throws Exception {
    String request = request("m2", "node-2");
    String broken = request.substring(0, 100) + "AAAA" + request.substring(104);
    for (String text : List.of("", "no PEM", broken, cluster.authority())) {
      refused(ErrorCode.INVALID, () -> cluster.join(token(), text), "certificate signing request");
    }
  }

  @Test
  void tokensAreValidForASensibleTime() {
    for (Duration validity : List.of(Duration.ZERO, Duration.ofDays(31), Duration.ofDays(-1))) {
      refused(ErrorCode.INVALID, () -> cluster.newToken(validity), "one second to 30 days");
    }
  }

  @Test
  void forgedCredentialsAreNobodys() throws Exception {
    String credential = cluster.join(token(), request("m2", "node-2")).credential();
    cluster.join(token(), request("m3", "node-3"));

    for (String forged :
        List.of(
            "",
            "hfn1.",
            credential.replace("node-2", "node-3"),
            credential + "x",
            credential.substring(1),
            "hfn1." + "A".repeat(43) + ".node-2",
            "hfn1." + "A".repeat(43) + "../../x")) {
      assertThat(cluster.nodeOf(forged)).as(forged).isEmpty();
    }
  }
}
