package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.files.InitiatorCredential;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IscsiRecordsTest {
  private static final String TARGET = "iqn.2026-01.dev.holdfast:demo";

  @TempDir Path folder;
  private IscsiRecords records;
  private Target target;

  @BeforeEach
  void read() throws Exception {
    records = new IscsiRecords(folder, List.of(folder.resolve("none"), folder.resolve("nodes")));
    target = Target.withUnit(URI.create("iscsi://10.0.0.1:3260/" + TARGET + "/0"), 3260);
  }

  private Path record(String portal) throws Exception {
    Path file = folder.resolve("nodes").resolve(TARGET).resolve(portal).resolve("default");
    Files.createDirectories(file.getParent());
    return Files.writeString(
        file,
        """
        # BEGIN RECORD 2.1.8
        node.name = %s
        node.session.auth.authmethod = None
        node.session.auth.username = earlier
        node.conn[0].address = 10.0.0.1
        # END RECORD
        """
            .formatted(TARGET));
  }

  @Test
  void secretsReplaceThoseOfTheRecordAndOnlyItsOwnerReadsThem() throws Exception {
    Path own = record("10.0.0.1,3260,1");
    Path other = record("10.0.0.1,32601,1");
    String before = Files.readString(other);
    InitiatorCredential credential = InitiatorCredential.create("iqn.2026-01.test:kernel");
    records.authenticate(target, credential);
    assertThat(Files.readAllLines(own))
        .containsExactly(
            "# BEGIN RECORD 2.1.8",
            "node.name = " + TARGET,
            "node.conn[0].address = 10.0.0.1",
            "node.session.auth.authmethod = CHAP",
            "node.session.auth.username = iqn.2026-01.test:kernel",
            "node.session.auth.password = " + credential.chap(),
            "node.session.auth.username_in = holdfast",
            "node.session.auth.password_in = " + credential.chapOfTarget(),
            "# END RECORD");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
        .isEqualTo("rw-------");
    assertThat(other).hasContent(before);
  }

  @Test
  void missingRecordIsReported() {
    assertThatThrownBy(
            () -> records.authenticate(target, InitiatorCredential.create("iqn.2026-01.test:k")))
        .hasMessageContaining("no record");
  }

  @Test
  void configurationOfTheHostIsRead() throws Exception {
    assertThat(records.name()).isEmpty();
    assertThat(records.hasSecrets()).isFalse();
    Files.writeString(records.nameFile(), "## GenerateName\nInitiatorName=iqn.2026-01.test:k\n");
    Path configuration = folder.resolve("iscsid.conf");
    Files.writeString(configuration, "#node.session.auth.authmethod = CHAP\n");
    assertThat(records.name()).contains("iqn.2026-01.test:k");
    assertThat(records.hasSecrets()).isFalse();
    Files.writeString(configuration, "node.session.auth.authmethod = CHAP\n");
    assertThat(records.hasSecrets()).isTrue();
  }
}
