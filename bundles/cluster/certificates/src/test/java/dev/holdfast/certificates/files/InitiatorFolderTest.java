package dev.holdfast.certificates.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InitiatorFolderTest {
  private static final String IQN = "iqn.1993-08.org.debian:01:abc";

  @TempDir Path data;

  private InitiatorFolder folder() throws StorageException {
    TlsDirectory.prepare(data.resolve("tls"), "node-1", List.of("localhost"), Clock.systemUTC());
    return InitiatorFolder.ofNode(data).orElseThrow();
  }

  @Test
  void directoryWithoutTheKeyOfANodeHasNone() {
    assertThat(InitiatorFolder.ofNode(data)).isEmpty();
  }

  @Test
  void credentialIsReadAsItWasWrittenAndOnlyByItsOwner() throws Exception {
    InitiatorFolder folder = folder();
    InitiatorCredential credential = InitiatorCredential.create(IQN);
    folder.write("films", credential);
    assertThat(folder.read("films")).contains(credential);
    assertThat(folder.volumes()).containsExactly("films");
    assertThat(folder.read("other")).isEmpty();
    assertThat(mode(folder.directory())).isEqualTo("rwx------");
    assertThat(mode(folder.directory().resolve("films"))).isEqualTo("rw-------");
    folder.delete("films");
    folder.delete("films");
    assertThat(folder.read("films")).isEmpty();
    assertThat(folder.volumes()).isEmpty();
  }

  private static String mode(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void eachCredentialHasItsOwnSecrets() {
    InitiatorCredential one = InitiatorCredential.create(IQN);
    InitiatorCredential other = InitiatorCredential.create(IQN);
    assertThat(List.of(one.chap(), one.chapOfTarget(), other.chap(), other.chapOfTarget()))
        .doesNotHaveDuplicates()
        .allMatch(secret -> secret.matches("[0-9a-f]{32}"));
    assertThat(
            List.of(
                one.dhchap(), one.dhchapOfController(), other.dhchap(), other.dhchapOfController()))
        .doesNotHaveDuplicates()
        .allMatch(key -> key.matches("DHHC-1:00:[A-Za-z0-9+/]{48}:"));
    assertThat(one.toString()).contains(IQN).doesNotContain(one.chap(), one.dhchap());
  }

  @Test
  void damagedFileIsReportedWithoutItsContent() throws Exception {
    InitiatorFolder folder = folder();
    InitiatorCredential credential = InitiatorCredential.create(IQN);
    folder.write("films", credential);
    String text = credential.text().replaceFirst("(?m)^dhchap = .*\n", "");
    Files.writeString(folder.directory().resolve("films"), text);
    assertThatThrownBy(() -> folder.read("films"))
        .hasMessageContaining("dhchap is missing")
        .hasMessageNotContaining(credential.chap());
  }

  @Test
  void nameThatLeadsOutOfTheDirectoryIsRefused() throws Exception {
    InitiatorFolder folder = folder();
    for (String name : List.of("../server.key", "/etc/passwd", "", ".hidden", "a/b")) {
      assertThatThrownBy(() -> folder.read(name))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
    }
  }
}
