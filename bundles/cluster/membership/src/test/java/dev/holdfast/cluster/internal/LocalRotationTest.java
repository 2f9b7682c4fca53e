package dev.holdfast.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.cluster.RotationStatus;
import dev.holdfast.cluster.RotationStatus.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rotation of the authority of a cluster of three nodes, with real certificates. */
class LocalRotationTest {
  private static final List<String> MEMBERS = List.of("node-2", "node-3");

  @TempDir Path data;

  private final MemoryResourceStore store = new MemoryResourceStore();
  private Instant now = Instant.now();
  private LocalCluster cluster;

  @BeforeEach
  void joinAll() throws Exception {
    restart();
    for (String node : MEMBERS) {
      join(node);
    }
  }

  /** Stops the node with the authority and starts it again. */
  private void restart() throws StorageException {
    Clock clock = Clock.fixed(now, ZoneOffset.UTC);
    Path tls = data.resolve("tls");
    NodeTls own = TlsDirectory.prepare(tls, "node-1", List.of("127.0.0.1"), clock);
    cluster =
        new LocalCluster(
            data.resolve("cluster"),
            "node-1",
            TlsDirectory.authority(tls, clock),
            TlsDirectory.rotation(tls, clock),
            own,
            store,
            clock);
  }

  private void join(String node) throws StorageException {
    String token = cluster.newToken(Duration.ofHours(1)).token().text();
    JoinAnswer answer = cluster.join(token, request(node));
    TlsDirectory.accept(data.resolve(node), answer.caCertificate(), answer.certificate());
  }

  private String request(String node) throws StorageException {
    return TlsDirectory.request(data.resolve(node), node, List.of(node));
  }

  /** Reports like a member, and processes the answer. */
  private void report(String node) throws Exception {
    Path tls = data.resolve(node);
    String known = Files.readString(tls.resolve("ca.crt"));
    String authorities = cluster.report(node, TlsDirectory.report(tls, known));
    TlsDirectory.trust(tls, authorities);
    String first = TlsDirectory.fingerprints(authorities).get(0);
    if (!TlsDirectory.report(tls, authorities).issuer().equals(first)) {
      TlsDirectory.accept(tls, authorities, cluster.renew(node, request(node)));
    }
  }

  private void reportAll() throws Exception {
    for (String node : MEMBERS) {
      report(node);
    }
  }

  private Phase phase() throws StorageException {
    return cluster.rotation().status().phase();
  }

  private static void refused(ErrorCode code, ThrowingCallable call, String... texts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(texts);
  }

  private boolean accepts(String server, String client) throws Exception {
    NodeTls own = TlsDirectory.prepare(data.resolve(server), server, List.of(), Clock.systemUTC());
    NodeTls other =
        TlsDirectory.prepare(data.resolve(client), client, List.of(), Clock.systemUTC());
    try {
      own.trustManager().checkClientTrusted(other.keyManager().getCertificateChain("0"), "EC");
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }

  @Test
  void rotationContinuesAfterARestartAtEachStep() throws Exception {
    String before = cluster.rotation().status().authority();
    reportAll();
    assertThat(cluster.rotation().rotate(false).phase()).isEqualTo(Phase.TRUST);
    restart();
    assertThat(phase()).isEqualTo(Phase.TRUST);
    assertThat(cluster.rotation().status().waiting())
        .containsExactly(
            "node-2: has not reported since this node started",
            "node-3: has not reported since this node started");
    reportAll();
    assertThat(phase()).as("each has learned, and not yet reported it").isEqualTo(Phase.TRUST);
    report("node-2");
    assertThat(phase()).as("one member does not trust it").isEqualTo(Phase.TRUST);
    report("node-3");
    assertThat(phase()).isEqualTo(Phase.RENEW);
    assertThat(accepts("node-2", "node-3")).isTrue();
    restart();
    reportAll();
    assertThat(accepts("node-2", "node-3")).isTrue();
    refused(ErrorCode.BUSY, () -> cluster.rotation().finish(false), "node-2: follows");
    reportAll();
    assertThat(phase()).isEqualTo(Phase.READY);
    restart();
    reportAll();
    RotationStatus done = cluster.rotation().finish(false);
    assertThat(done.phase()).isEqualTo(Phase.NONE);
    assertThat(done.authority()).isNotEqualTo(before);
    restart();
    reportAll();
    assertThat(accepts("node-2", "node-3")).isTrue();
    assertThat(TlsDirectory.fingerprints(Files.readString(data.resolve("node-3/ca.crt"))))
        .containsExactly(done.authority());
  }

  @Test
  void rotationIsRefusedWhileANodeIsAway() throws Exception {
    reportAll();
    now = now.plus(Duration.ofMinutes(4));
    restart();
    report("node-2");

    refused(
        ErrorCode.BUSY, () -> cluster.rotation().rotate(false), "node-3", "--force", "node remove");
    assertThat(phase()).isEqualTo(Phase.NONE);
  }

  @Test
  void nodeThatIsLeftBehindNeedsANewJoin() throws Exception {
    report("node-2");
    assertThat(cluster.rotation().rotate(true).left()).containsExactly("node-3");
    for (int i = 0; i < 3; i++) {
      report("node-2");
    }
    assertThat(cluster.rotation().finish(false).left()).containsExactly("node-3");
    report("node-2");
    assertThat(accepts("node-2", "node-3")).isFalse();
    restart();
    assertThat(cluster.rotation().status().left()).containsExactly("node-3");

    cluster.revoke("node-3");
    join("node-3");

    assertThat(accepts("node-2", "node-3")).isTrue();
    assertThat(cluster.rotation().status().left()).isEmpty();
  }

  @Test
  void nodeThatComesBackDuringTheRotationIsWaitedForAgain() throws Exception {
    report("node-2");
    cluster.rotation().rotate(true);
    report("node-2");
    report("node-3");

    assertThat(cluster.rotation().status().left()).isEmpty();
    report("node-2");
    assertThat(phase()).isEqualTo(Phase.TRUST);
    report("node-3");
    assertThat(phase()).isEqualTo(Phase.RENEW);
  }

  @Test
  void rotationOfAClusterOfOneNodeNeedsNoReport() throws Exception {
    MEMBERS.forEach(
        node -> {
          try {
            cluster.revoke(node);
          } catch (StorageException e) {
            throw new AssertionError(e);
          }
        });

    assertThat(cluster.rotation().rotate(false).phase()).isEqualTo(Phase.READY);
    assertThat(cluster.rotation().finish(false).phase()).isEqualTo(Phase.NONE);
    refused(ErrorCode.INVALID, () -> cluster.rotation().finish(false), "no rotation");
  }

  @Test
  void sharedKeyIsNotRotated() {
    refused(
        ErrorCode.UNSUPPORTED,
        () -> SharedKey.guard(TlsDirectory.rotation(data, Clock.systemUTC()), "etcd").begin(),
        "etcd");
  }
}
