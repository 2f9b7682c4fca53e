package dev.holdfast.engine.sparse.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.chain.LocalChain;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares a directory that this engine made with one that the real longhorn-engine made. */
class LonghornDirectoryTest {
  private static final int SIZE = 64 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path disk;
  private ReplicaDirectory theirs;
  private ReplicaDirectory ours;

  @BeforeEach
  void make() throws Exception {
    Path folder = Files.createDirectories(disk.resolve("replicas/theirs"));
    Path archive = disk.resolve("replica.tar.zst");
    try (InputStream resource = getClass().getResourceAsStream("/longhorn-v1/replica.tar.zst")) {
      Files.copy(resource, archive);
    }
    Process tar =
        new ProcessBuilder("tar", "-S", "--zstd", "-xf", archive.toString())
            .directory(folder.toFile())
            .inheritIO()
            .start();
    assumeTrue(tar.waitFor() == 0, "tar with zstd is needed to unpack the replica");
    theirs = new LocalReplicaDirectory(folder);
    ReplicaLocation location = new ReplicaLocation("vol1", "r", "n", disk, "ours");
    new ReplicaStorage().provision(location, SIZE);
    ours = new LocalReplicaDirectory(location.directory());
  }

  private static LocalChain open(ReplicaDirectory directory) throws Exception {
    return LocalChain.open(directory, LonghornLayout.volumeMeta(directory).orElseThrow(), false);
  }

  private static void perform(
      LocalChain chain, ChainOperation.Kind kind, String snapshot, Map<String, String> labels)
      throws Exception {
    String id = kind + snapshot;
    chain.perform(
        new ChainOperation(id, kind, snapshot, true, "2026-11-20T23:22:57.5Z", labels, 0));
  }

  private static JsonNode json(ReplicaDirectory directory, String file) throws Exception {
    return JSON.readTree(directory.load(file).orElseThrow());
  }

  @Test
  void filesFieldsTypesAndMeaningAreTheirs() throws Exception {
    try (LocalChain chain = open(ours)) {
      perform(chain, ChainOperation.Kind.SNAPSHOT, "snap1", Map.of("purpose", "fixture"));
      perform(chain, ChainOperation.Kind.SNAPSHOT, "snap2", Map.of());
      chain.state().seal();
    }
    SortedSet<String> names = new TreeSet<>(theirs.files());
    names.remove(RevisionCounter.FILE);
    assertThat(ours.files()).isEqualTo(names);
    for (String name : names) {
      if (name.endsWith(".meta")) {
        assertSame(name, json(ours, name), json(theirs, name));
      } else {
        assertThat(Files.size(Path.of(ours.path(), name))).isEqualTo(SIZE);
      }
    }
  }

  private static void assertSame(String file, JsonNode own, JsonNode their) {
    List<String> fields = new ArrayList<>();
    their.fieldNames().forEachRemaining(fields::add);
    List<String> found = new ArrayList<>();
    own.fieldNames().forEachRemaining(found::add);
    assertThat(found).as(file).isEqualTo(fields);
    for (String field : fields) {
      assertThat(own.get(field).getNodeType())
          .as("%s: %s", file, field)
          .isEqualTo(their.get(field).getNodeType());
      if (field.equals("Created")) {
        String time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
        assertThat(own.get(field).asText()).matches(time);
        assertThat(their.get(field).asText()).matches(time);
      } else {
        assertThat(own.get(field)).as("%s: %s", file, field).isEqualTo(their.get(field));
      }
    }
  }

  private static String sha256(LocalChain chain, String snapshot) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(SIZE);
    if (snapshot.equals("head")) {
      chain.layers().read(0, content);
    } else {
      chain.read(snapshot, 0, content);
    }
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content.array()));
  }

  private static String expected(String name) throws Exception {
    try (InputStream sums =
        LonghornDirectoryTest.class.getResourceAsStream("/longhorn-v1/content.sha256")) {
      return new String(sums.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> line.endsWith(" " + name))
          .map(line -> line.substring(0, 64))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void longhornSnapshotsCanBeReadCoalescedAndReverted() throws Exception {
    try (LocalChain chain = open(theirs)) {
      for (String name : List.of("snap1", "snap2", "head")) {
        assertThat(sha256(chain, name)).isEqualTo(expected(name));
      }
      perform(chain, ChainOperation.Kind.REMOVE, "snap1", Map.of());
      assertThat(chain.coalesce(Set.of())).isTrue();
      assertThat(chain.coalesce(Set.of())).isFalse();
      assertThat(sha256(chain, "snap2")).isEqualTo(expected("snap2"));
      assertThat(sha256(chain, "head")).isEqualTo(expected("head"));
      perform(chain, ChainOperation.Kind.REVERT, "snap2", Map.of());
      assertThat(sha256(chain, "head")).isEqualTo(expected("snap2"));
    }
    assertThat(theirs.files())
        .containsExactly(
            RevisionCounter.FILE,
            "volume-head-003.img",
            "volume-head-003.img.meta",
            "volume-snap-snap2.img",
            "volume-snap-snap2.img.meta",
            "volume.meta");
  }

  @Test
  void theRevisionCounterRisesWithTheFirstChange() throws Exception {
    byte[] before = theirs.load(RevisionCounter.FILE).orElseThrow();
    try (LocalChain chain = open(theirs)) {
      chain.state().soil();
      chain.state().soil();
    }
    byte[] after = theirs.load(RevisionCounter.FILE).orElseThrow();
    assertThat(new String(before, StandardCharsets.US_ASCII).trim()).isEqualTo("160");
    assertThat(new String(after, StandardCharsets.US_ASCII).trim()).isEqualTo("161");
    assertThat(after).hasSameSizeAs(before);
  }
}
