package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginResponse;
import dev.holdfast.frontend.testkit.KnownClients;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.Peer;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Initiators of clients of the cluster, where a credential is required. */
@Timeout(60)
final class IscsiClientAccessTest {
  private static final String INITIATOR = "iqn.2026-01.test:client";
  private static final String SECRET = "wonderland1234";

  private final KnownClients clients = new KnownClients();
  private IscsiServer server;
  private URI own;
  private URI other;

  @BeforeEach
  void start() throws Exception {
    server =
        IscsiServer.start(Optional.empty(), Map.of("holdfast.frontend.authentication", "required"));
    server.knows(clients);
    own = server.publish("own", new MemoryBlockDevice(1 << 20));
    other = server.publish("other", new MemoryBlockDevice(1 << 20));
    clients.add(INITIATOR, new ClientSecret("alice", SECRET, Optional.empty()), false, "own");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String as(String user, URI target) {
    return target.toString().replace("iscsi://", "iscsi://" + user + "@");
  }

  @Test
  void initiatorUsesTheTargetsOfItsClient() throws Exception {
    assertThat(Peer.run("iscsi-inq", "-i", INITIATOR, as("alice%" + SECRET, own)))
        .contains("HOLDFAST");
    assertThat(Peer.attempt("iscsi-inq", "-i", INITIATOR, as("alice%" + SECRET, other)).exitCode())
        .isNotZero();
    assertThat(clients.refusals()).hasSize(1);
  }

  @Test
  void initiatorDiscoversTheTargetsOfItsClientOnly() throws Exception {
    String portal = "iscsi://alice%" + SECRET + "@127.0.0.1:" + own.getPort();
    assertThat(Peer.run("iscsi-ls", "-i", INITIATOR, portal))
        .contains(":own")
        .doesNotContain(":other");
  }

  @Test
  void wrongSecretIsRefusedAndReported() throws Exception {
    assertThat(
            Peer.attempt("iscsi-inq", "-i", INITIATOR, as("alice%wrong-secret-1", own)).exitCode())
        .isNotZero();
    assertThat(clients.refusals())
        .singleElement()
        .satisfies(
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(ClientRefusal.Reason.SECRET);
              assertThat(refusal.client()).isEqualTo(INITIATOR);
            });
  }

  @Test
  void initiatorWithoutASecretIsRefused() throws Exception {
    assertThat(LoginResponse.parse(IscsiWire.loginAnswer(own).header()).status()).isEqualTo(0x0201);
    assertThat(clients.refusals()).hasSize(1);
  }
}
