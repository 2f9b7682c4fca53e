package dev.holdfast.certificates.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.MemberList;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MembersTest {
  @TempDir private Path folder;
  private Members members;

  @BeforeEach
  void load() throws Exception {
    members = new Members(folder.resolve("members"), "node-1", () -> "own key");
  }

  private X509Certificate certificate(String machine) throws Exception {
    Path tls = folder.resolve(machine);
    TlsDirectory.prepare(tls, "node-2", List.of("localhost"), Clock.systemUTC());
    return Pem.certificates(tls.resolve("server.crt")).get(0);
  }

  private void refuses(String node, X509Certificate certificate, String why) {
    assertThatThrownBy(() -> members.check(node, certificate))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining(node)
        .hasMessageContaining(why);
  }

  @Test
  void removedNodeIsRefused() throws Exception {
    X509Certificate second = certificate("second");
    members.replace(Map.of("node-1", "", "node-2", Members.fingerprint(second)));
    members.check("node-2", second);

    members.replace(Map.of("node-1", ""));

    refuses("node-2", second, "not a member");
  }

  @Test
  void keptCertificateOfAnEarlierMachineOfTheNameIsRefused() throws Exception {
    X509Certificate removed = certificate("removed");
    members.replace(Map.of("node-2", Members.fingerprint(certificate("next"))));

    refuses("node-2", removed, "another machine");
  }

  @Test
  void memberThatPublishesNoKeyIsAdmittedByItsName() throws Exception {
    members.replace(Map.of("node-2", MemberList.ANY_KEY));

    members.check("node-2", certificate("older"));
  }

  @Test
  void lastListHoldsAfterARestartWithoutTheStore() throws Exception {
    X509Certificate second = certificate("second");
    members.replace(Map.of("node-2", Members.fingerprint(second)));

    load();

    members.check("node-2", second);
    refuses("node-3", second, "not a member");
  }

  @Test
  void everyNodeIsAdmittedUntilTheFirstList() throws Exception {
    members.check("node-3", certificate("any"));
  }

  @Test
  void ownNameIsAdmittedWithTheOwnKeyOnly() throws Exception {
    X509Certificate own = certificate("own");
    members = new Members(folder.resolve("members"), "node-2", () -> Members.fingerprint(own));
    members.replace(Map.of());

    members.check("node-2", own);
    refuses("node-2", certificate("removed"), "another machine");
  }

  @Test
  void listThatCouldNotBeKeptIsKeptAtTheNextOccasion() throws Exception {
    X509Certificate second = certificate("second");
    Path file = folder.resolve("absent/members");
    members = new Members(file, "node-1", () -> "own key");
    assertThatThrownBy(() -> members.replace(Map.of("node-1", "")))
        .isInstanceOf(StorageException.class);
    Files.createDirectory(file.getParent());

    members.replace(Map.of("node-1", ""));

    members = new Members(file, "node-1", () -> "own key");
    refuses("node-2", second, "not a member");
  }

  @Test
  void listThatCannotBeKeptIsInForce() throws Exception {
    X509Certificate second = certificate("second");
    members = new Members(folder.resolve("absent/members"), "node-1", () -> "own key");

    assertThatThrownBy(() -> members.replace(Map.of("node-1", "")))
        .isInstanceOf(StorageException.class);

    refuses("node-2", second, "not a member");
  }
}
