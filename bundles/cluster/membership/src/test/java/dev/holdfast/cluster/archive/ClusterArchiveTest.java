package dev.holdfast.cluster.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterArchiveTest {
  private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");
  private static final Map<String, String> STATE =
      Map.of(
          "tls/ca.key", "key of the authority",
          "tls/ca.crt", "authority",
          "cluster/credentials/node-2.json", "{}",
          "secrets/s3/AWS_SECRET_ACCESS_KEY", "secret",
          "holdfast.env", "name=node-1\n",
          "node.id", "id");

  @TempDir private Path folder;
  private Path data;
  private Path archive;

  @BeforeEach
  void writeArchive() throws Exception {
    data = folder.resolve("data");
    for (Map.Entry<String, String> file : STATE.entrySet()) {
      write(data.resolve(file.getKey()), file.getValue());
    }
    write(data.resolve("store/holdfast.db"), "in use");
    write(data.resolve("tls/client/client-key.pem"), "derived");
    write(data.resolve("disks/disk-1/data"), "content of a volume");
    Path copy = Files.writeString(folder.resolve("copy"), "the store");
    archive = folder.resolve("archive");
    new ClusterArchive(data).write(archive, copy, "node-1", NOW);
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static Map<String, String> content(Path directory) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        found.put(directory.relativize(file).toString(), Files.readString(file));
      }
    }
    return found;
  }

  private static Map<String, String> expected() {
    Map<String, String> expected = new TreeMap<>(STATE);
    expected.put("store/holdfast.db", "the store");
    return expected;
  }

  @Test
  void restoredDirectoryContainsOnlyTheControlPlane() throws Exception {
    Path target = folder.resolve("target");
    assertThat(new ClusterRestore(target).run(archive, false, NOW)).isEmpty();
    assertThat(content(target)).isEqualTo(expected());
    for (String name : STATE.keySet()) {
      assertThat(Files.getPosixFilePermissions(target.resolve(name)))
          .as(name)
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
    assertThat(Files.getPosixFilePermissions(archive))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void stateOfAnotherNodeIsKept() throws Exception {
    Path target = folder.resolve("target");
    write(target.resolve("tls/ca.key"), "another");
    assertThatThrownBy(() -> new ClusterRestore(target).run(archive, false, NOW))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("--replace")
        .extracting(e -> ((StorageException) e).code())
        .isEqualTo(ErrorCode.ALREADY_EXISTS);
    Path aside = new ClusterRestore(target).run(archive, true, NOW).orElseThrow();
    assertThat(aside.resolve("tls/ca.key")).hasContent("another");
    assertThat(target.resolve("tls/ca.key")).hasContent("key of the authority");
  }

  /** Tests each point between two moves, at which a crash may leave the directory. */
  @Test
  void interruptedRestoreContinues() throws Exception {
    for (int moved = 0; moved <= ArchiveContent.ENTRIES.size(); moved++) {
      Path target = folder.resolve("target-" + moved);
      new ClusterRestore(target).run(archive, false, NOW);
      Path ready = Files.createDirectory(target.resolve("restore.ready"));
      List<String> entries = ArchiveContent.ENTRIES;
      for (String entry : entries.subList(moved, entries.size())) {
        if (Files.exists(target.resolve(entry))) {
          Files.move(target.resolve(entry), ready.resolve(entry));
        }
      }
      new ClusterRestore(target).run(archive, false, NOW);
      assertThat(content(target)).as("after %d moves", moved).isEqualTo(expected());
      assertThat(ready).doesNotExist();
    }
  }

  @Test
  void leftoversOfAnInterruptedExtractionAreReplaced() throws Exception {
    Path target = folder.resolve("target");
    write(target.resolve("restore.new/tls/ca.key"), "half");
    new ClusterRestore(target).run(archive, false, NOW);
    assertThat(content(target)).isEqualTo(expected());
  }

  @Test
  void damagedArchiveChangesNothing() throws Exception {
    byte[] bytes = Files.readAllBytes(archive);
    Path target = folder.resolve("target");
    for (int at = 0; at < bytes.length; at += 7) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x55;
      Files.write(archive, damaged);
      try {
        new ClusterRestore(target).run(archive, true, NOW);
        assertThat(content(target)).as("byte %d does not matter", at).isEqualTo(expected());
      } catch (StorageException e) {
        assertThat(target.resolve("store")).as("byte %d", at).doesNotExist();
      }
      delete(target);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> below = Files.walk(directory)) {
      for (Path path : below.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void namesOutsideOfTheStateAreNotAdmitted() {
    assertThat(
            List.of("disks/d", "tls/../x", "/etc/passwd", "store/other", "tls//x", "..", "")
                .stream()
                .filter(ArchiveContent::admits))
        .isEmpty();
    assertThat(ArchiveContent.admits("tls/ca.key")).isTrue();
  }

  @Test
  void nodeWithAnExternalStoreIsRejected() throws Exception {
    write(data.resolve("cluster/kubeconfig"), "of node-1");
    assertThatThrownBy(() -> new ClusterArchive(data).requireStore())
        .hasMessageContaining("run the command on the node that has the store");
  }
}
