package dev.holdfast.secrets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets in files. */
class SecretFolderTest {
  private static final byte[] VALUE = "planted-value".getBytes(StandardCharsets.UTF_8);

  @TempDir Path data;
  private SecretFolder secrets;

  @BeforeEach
  void open() {
    secrets = SecretFolder.ofNode(data);
  }

  private Path file(String key) {
    return data.resolve("secrets/minio").resolve(key);
  }

  private static void assertCode(ErrorCode code, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message)
        .hasMessageNotContaining("planted-value");
  }

  @Test
  void valuesAreReadAsTheyWereSet() throws Exception {
    secrets.set("minio", "ID", new byte[] {0, -1, 10});
    secrets.set("minio", "SECRET", VALUE);
    secrets.set("minio", "SECRET", "other".getBytes(StandardCharsets.UTF_8));

    Map<String, byte[]> read = secrets.read("minio").orElseThrow();
    assertThat(read).containsOnlyKeys("ID", "SECRET");
    assertThat(read.get("ID")).containsExactly(0, -1, 10);
    assertThat(read.get("SECRET")).asString(StandardCharsets.UTF_8).isEqualTo("other");
    assertThat(secrets.read("absent")).isEmpty();
    assertThat(secrets.list()).isEqualTo(Map.of("minio", List.of("ID", "SECRET")));
  }

  @Test
  void onlyTheOwnerMayUseFilesAndFolders() throws Exception {
    secrets.set("minio", "ID", VALUE);

    assertThat(mode(file("ID"))).isEqualTo("rw-------");
    assertThat(mode(file("ID").getParent())).isEqualTo("rwx------");
    assertThat(mode(data.resolve("secrets"))).isEqualTo("rwx------");
  }

  private static String mode(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw------x"})
  void fileOfOthersIsRefused(String mode) throws Exception {
    secrets.set("minio", "ID", VALUE);
    Files.setPosixFilePermissions(file("ID"), PosixFilePermissions.fromString(mode));

    assertCode(
        ErrorCode.FORBIDDEN, "run 'chmod 600 " + file("ID") + "'", () -> secrets.read("minio"));
  }

  @Test
  void linksAndOtherFilesAreRefused() throws Exception {
    secrets.set("minio", "ID", VALUE);
    Files.createSymbolicLink(file("LINK"), file("ID"));

    assertCode(ErrorCode.FORBIDDEN, "LINK: is not a plain file", () -> secrets.read("minio"));
    Files.delete(file("LINK"));
    Files.createDirectory(file("FOLDER"));
    assertCode(ErrorCode.FORBIDDEN, "FOLDER: is not a plain file", () -> secrets.read("minio"));
  }

  @Test
  void draftsOfWritersAreIgnored() throws Exception {
    secrets.set("minio", "ID", VALUE);
    Files.writeString(file(".ID123.new"), "half");

    assertThat(secrets.read("minio").orElseThrow()).containsOnlyKeys("ID");
  }

  @Test
  void deletionRemovesOneValueOrTheSecret() throws Exception {
    secrets.set("minio", "ID", VALUE);
    secrets.set("minio", "SECRET", VALUE);
    secrets.delete("minio", Optional.of("ID"));
    assertThat(secrets.list()).isEqualTo(Map.of("minio", List.of("SECRET")));

    assertCode(
        ErrorCode.NOT_FOUND,
        "key ID: does not exist",
        () -> secrets.delete("minio", Optional.of("ID")));
    secrets.delete("minio", Optional.empty());
    assertThat(secrets.list()).isEmpty();
    assertThat(file("SECRET").getParent()).doesNotExist();
    assertCode(
        ErrorCode.NOT_FOUND, "secret minio", () -> secrets.delete("minio", Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "../x", "a/b", "UPPER", "-a", "a-", "a b"})
  void otherNamesAreRefused(String name) {
    assertCode(ErrorCode.INVALID, "name of a secret", () -> secrets.read(name));
    assertCode(ErrorCode.INVALID, "name of a secret", () -> secrets.set(name, "KEY", VALUE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", ".hidden", "../x", "a/b", "a b"})
  void otherKeysAreRefused(String key) {
    assertCode(ErrorCode.INVALID, "key: expected", () -> secrets.set("minio", key, VALUE));
  }

  @Test
  void emptyAndHugeValuesAreRefused() throws Exception {
    assertCode(ErrorCode.INVALID, "key ID", () -> secrets.set("minio", "ID", new byte[0]));
    assertCode(
        ErrorCode.INVALID,
        "key ID",
        () -> secrets.set("minio", "ID", new byte[SecretFolder.LARGEST + 1]));
    assertThat(secrets.list()).isEmpty();
  }
}
