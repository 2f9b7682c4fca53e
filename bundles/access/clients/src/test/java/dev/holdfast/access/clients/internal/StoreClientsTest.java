package dev.holdfast.access.clients.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.BlockClient;
import dev.holdfast.access.BlockClientSpec;
import dev.holdfast.access.ClientAccess;
import dev.holdfast.access.ClientCertificate;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRights;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.ClientSession;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.WorkloadTickets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreClientsTest {
  private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");
  private static final String OLD = "0a".repeat(32);
  private static final String NEW = "0b".repeat(32);
  private static final String IQN = "iqn.1993-08.org.debian:01:abc";

  @TempDir Path folder;
  private final List<AuditEvent> lines = new ArrayList<>();
  private final Map<String, Map<String, byte[]>> secrets = new HashMap<>();
  private StoreClients clients;

  @BeforeEach
  void create() {
    clients =
        new StoreClients(
            new Lines(),
            name -> Optional.ofNullable(secrets.get(name)),
            "node-1",
            folder,
            () -> NOW);
  }

  private final class Lines implements AuditLog {
    @Override
    public void record(AuditEvent event) {
      lines.add(event);
    }

    @Override
    public boolean refusesWrites() {
      return false;
    }

    @Override
    public boolean recordsReads() {
      return false;
    }

    @Override
    public long dropped() {
      return 0;
    }
  }

  private static BlockClient client(BlockClientSpec spec) {
    return BlockClient.of("hv-07", spec.withVolumes(List.of("films", "vm-*")));
  }

  private static ClientCertificate certificate(String fingerprint, Instant end) {
    return new ClientCertificate(fingerprint, Optional.ofNullable(end));
  }

  private Optional<ClientRights> rights(ClientIdentity.Type type, String name) {
    return clients.rights(new ClientIdentity(type, name));
  }

  private void know(BlockClient... present) throws Exception {
    clients.replace(ClientTable.of(List.of(present), List.of()));
  }

  @Test
  void certificateHasTheRightsOfItsClient() throws Exception {
    know(client(BlockClientSpec.EMPTY.withCertificates(List.of(certificate(OLD, null)))));
    ClientRights rights = rights(ClientIdentity.Type.CERTIFICATE, OLD).orElseThrow();
    assertThat(rights.client()).isEqualTo("hv-07");
    assertThat(rights.readOnly()).isFalse();
    assertThat(rights.shows("films")).isTrue();
    assertThat(rights.shows("vm-1")).isTrue();
    assertThat(rights.shows("other")).isFalse();
    assertThat(rights(ClientIdentity.Type.CERTIFICATE, NEW)).isEmpty();
    assertThat(rights(ClientIdentity.Type.INITIATOR, OLD)).isEmpty();
  }

  @Test
  void accessOfAClientMayBeReading() throws Exception {
    know(
        client(
            BlockClientSpec.EMPTY.withAccess(ClientAccess.READ_ONLY).withInitiators(List.of(IQN))));
    assertThat(rights(ClientIdentity.Type.INITIATOR, IQN).orElseThrow().readOnly()).isTrue();
  }

  @Test
  void rotatedCertificateHoldsUntilItsEnd() throws Exception {
    know(
        client(
            BlockClientSpec.EMPTY.withCertificates(
                List.of(certificate(OLD, NOW), certificate(NEW, NOW.plusSeconds(1))))));
    assertThat(rights(ClientIdentity.Type.CERTIFICATE, OLD)).isEmpty();
    assertThat(rights(ClientIdentity.Type.CERTIFICATE, NEW)).isPresent();
  }

  @Test
  void expiredClientHasNeitherRightsNorSecret() throws Exception {
    secrets.put("client-hv-07", Map.of("CHAP_SECRET", bytes("s3cret")));
    know(
        client(
            BlockClientSpec.EMPTY
                .withCertificates(List.of(certificate(OLD, null)))
                .withInitiators(List.of(IQN))
                .withExpiresAt(Optional.of(NOW))));
    assertThat(rights(ClientIdentity.Type.CERTIFICATE, OLD)).isEmpty();
    assertThat(rights(ClientIdentity.Type.INITIATOR, IQN)).isEmpty();
    assertThat(clients.secret(ClientSecret.Kind.CHAP, IQN)).isEmpty();
  }

  @Test
  void secretOfAnInitiatorIsThatOfItsClient() throws Exception {
    secrets.put("client-hv-07", Map.of("CHAP_SECRET", bytes("s3cret\n")));
    know(client(BlockClientSpec.EMPTY.withInitiators(List.of(IQN))));
    assertThat(clients.secret(ClientSecret.Kind.CHAP, IQN))
        .contains(new ClientSecret("hv-07", "s3cret", Optional.empty()));
    assertThat(clients.secret(ClientSecret.Kind.DHCHAP, IQN)).isEmpty();
    assertThat(clients.secret(ClientSecret.Kind.CHAP, "iqn.other")).isEmpty();
  }

  @Test
  void initiatorsOfAnExportHaveTheirRightsAndKeys() throws Exception {
    secrets.put("client-hv-07", Map.of("DHCHAP_KEY", bytes("k"), "TLS_KEY", bytes("p")));
    know(client(BlockClientSpec.EMPTY.withInitiators(List.of(IQN, "nqn.h"))));
    assertThat(clients.initiators("vm-1")).containsOnlyKeys(IQN, "nqn.h");
    assertThat(clients.initiators("other")).isEmpty();
    assertThat(clients.secret(ClientSecret.Kind.TLS, "nqn.h"))
        .contains(new ClientSecret("nqn.h", "p", Optional.empty()));
    know(
        client(
            BlockClientSpec.EMPTY
                .withInitiators(List.of("nqn.h"))
                .withExpiresAt(Optional.of(NOW))));
    assertThat(clients.initiators("vm-1")).isEmpty();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void memberHasTheVolumesOfItsTickets() throws Exception {
    AttachmentTicket ticket =
        new AttachmentTicket(
            "t", "api", "node-2", Map.of(), 1L, Optional.empty(), Optional.empty());
    VolumeAttachment attachment =
        VolumeAttachment.of(
            "films", VolumeAttachmentSpec.EMPTY.withAttachmentTickets(Map.of("t", ticket)));
    clients.replace(ClientTable.of(List.of(), List.of(attachment)));
    assertThat(rights(ClientIdentity.Type.MEMBER, "node-2").orElseThrow().shows("films")).isTrue();
    assertThat(rights(ClientIdentity.Type.MEMBER, "node-2").orElseThrow().shows("other")).isFalse();
    assertThat(rights(ClientIdentity.Type.MEMBER, "node-3").orElseThrow().shows("films")).isFalse();
  }

  @Test
  void memberHasTheVolumesThatItsProgramsUseOnOtherNodes() throws Exception {
    know("films", Map.of(AttachmentTicket.CLIENT_NODE_PARAMETER, "node-2"));
    ClientRights rights = rights(ClientIdentity.Type.MEMBER, "node-2").orElseThrow();
    assertThat(rights.shows("films")).isTrue();
    assertThat(rights.shows("films@before")).isTrue();
    assertThat(rights.shows("films2@before")).isFalse();
    assertThat(rights(ClientIdentity.Type.MEMBER, "node-1").orElseThrow().shows("films")).isTrue();
    assertThat(rights(ClientIdentity.Type.MEMBER, "node-3").orElseThrow().shows("films")).isFalse();
  }

  @Test
  void nodeOfAWorkloadHasItsVolumeWhereAnotherNodeServesIt() throws Exception {
    know("films", Map.of(WorkloadTickets.NODE_PARAMETER, "node-2"));
    assertThat(rights(ClientIdentity.Type.MEMBER, "node-2").orElseThrow().shows("films")).isTrue();
  }

  /** A ticket of a volume that node-1 serves. */
  private void know(String volume, Map<String, String> parameters) throws Exception {
    AttachmentTicket ticket = AttachmentTicket.of("t", "api", "node-1", parameters, 1L);
    clients.replace(
        ClientTable.of(
            List.of(),
            List.of(
                VolumeAttachment.of(
                    volume,
                    VolumeAttachmentSpec.EMPTY.withAttachmentTickets(Map.of("t", ticket))))));
  }

  @Test
  void initiatorOfANodeGetsTheVolumeOfItsTicketByASeparateSecret() throws Exception {
    Path tls = Files.createDirectories(folder.resolve("tls"));
    Files.createFile(tls.resolve("server.key"));
    InitiatorCredential made = InitiatorCredential.create(IQN);
    InitiatorFolder.ofNode(folder).orElseThrow().write("films", made);
    know();
    assertThat(clients.secret(ClientSecret.Kind.CHAP, IQN, "films")).isEmpty();
    know("films", Map.of());
    assertThat(rights(ClientIdentity.Type.INITIATOR, IQN)).isEmpty();
    assertThat(clients.secret(ClientSecret.Kind.CHAP, IQN, "films"))
        .contains(new ClientSecret(IQN, made.chap(), Optional.of(made.chapOfTarget())));
    assertThat(clients.secret(ClientSecret.Kind.DHCHAP, IQN, "films"))
        .contains(new ClientSecret(IQN, made.dhchap(), Optional.of(made.dhchapOfController())));
    assertThat(clients.secret(ClientSecret.Kind.CHAP, IQN)).isEmpty();
    ClientRights rights = rights(ClientIdentity.Type.INITIATOR, IQN).orElseThrow();
    assertThat(rights.client()).isEqualTo("node node-1");
    assertThat(rights.shows("films")).isTrue();
    assertThat(rights.shows("other")).isFalse();
    create();
    know("films", Map.of());
    assertThat(rights(ClientIdentity.Type.INITIATOR, IQN))
        .as("after the bundle started again")
        .hasValueSatisfying(again -> assertThat(again.shows("films")).isTrue());
    know();
    assertThat(rights(ClientIdentity.Type.INITIATOR, IQN)).isEmpty();
  }

  @Test
  void clientOfTheClusterIsPreferredToTheNodeThatHasItsInitiator() throws Exception {
    secrets.put("client-hv-07", Map.of("CHAP_SECRET", bytes("s3cret")));
    know(client(BlockClientSpec.EMPTY.withInitiators(List.of(IQN))));
    assertThat(clients.secret(ClientSecret.Kind.CHAP, IQN, "films"))
        .contains(new ClientSecret("hv-07", "s3cret", Optional.empty()));
  }

  @Test
  void refusalHasALineAndIsCounted() {
    clients.refused(
        new ClientRefusal(
            "nbd", "/10.0.0.9:5", "hv-07", "other", ClientRefusal.Reason.EXPORT, "not this one"));
    assertThat(lines)
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.verb()).isEqualTo("connect");
              assertThat(line.subject().user()).isEqualTo("hv-07");
              assertThat(line.subject().source()).isEqualTo("/10.0.0.9:5");
              assertThat(line.object().name()).isEqualTo("other");
              assertThat(line.message()).isEqualTo("not this one");
            });
    assertThat(
            clients
                .refusals()
                .get(new StoreClients.Counted("nbd", ClientRefusal.Reason.EXPORT))
                .sum())
        .isEqualTo(1);
  }

  @Test
  void useOfAVolumeHasALineWhenItBeginsAndOneWhenItEnds() {
    ClientSession session =
        new ClientSession("1", "nbd", "/10.0.0.9:5", "hv-07", "films", NOW.minusSeconds(60));
    clients.began(session);
    clients.ended(session);
    assertThat(lines).extracting(AuditEvent::verb).containsExactly("connect", "disconnect");
    assertThat(lines)
        .allSatisfy(
            line -> {
              assertThat(line.subject().user()).isEqualTo("hv-07");
              assertThat(line.object().name()).isEqualTo("films");
              assertThat(line.received()).isEqualTo(NOW.minusSeconds(60));
              assertThat(line.finished()).isEqualTo(NOW);
              assertThat(line.message()).isEmpty();
            });
    assertThat(clients.refusals()).isEmpty();
  }

  @Test
  void noClientHasRightsBeforeTheFirstTable() throws Exception {
    assertThat(clients.ready()).isFalse();
    assertThat(rights(ClientIdentity.Type.CERTIFICATE, OLD)).isEmpty();
    know();
    assertThat(clients.ready()).isTrue();
  }
}
