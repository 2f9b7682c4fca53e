package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.posix.SparseFile;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica that the real longhorn-engine wrote: two snapshots and a head. */
class LonghornReplicaTest {
  private static final int SIZE = 64 << 20;

  @TempDir private Path disk;
  private SparseEngine engine;
  private ReplicaLocation replica;
  private final InMemoryRegister register = new InMemoryRegister();

  @BeforeEach
  void unpack() throws Exception {
    replica = new ReplicaLocation("vol1", "vol1-r-1", "node-1", disk, "vol1-1");
    Files.createDirectories(replica.directory());
    Path archive = disk.resolve("replica.tar.zst");
    try (InputStream resource = getClass().getResourceAsStream("/longhorn-v1/replica.tar.zst")) {
      Files.copy(resource, archive);
    }
    Process tar =
        new ProcessBuilder("tar", "-S", "--zstd", "-xf", archive.toString())
            .directory(replica.directory().toFile())
            .inheritIO()
            .start();
    assumeTrue(tar.waitFor() == 0, "tar with zstd is needed to unpack the replica");
    engine = new SparseEngine();
  }

  @AfterEach
  void stop() {
    if (engine != null) {
      engine.stop();
    }
  }

  private OpenVolume open() throws Exception {
    return engine.open(
        new OpenRequest(
            "vol1", SIZE, "node-1", List.of(replica), register, new RecordingListener()));
  }

  private static String expected(String name) throws Exception {
    try (InputStream sums =
        LonghornReplicaTest.class.getResourceAsStream("/longhorn-v1/content.sha256")) {
      return new String(sums.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> line.endsWith(" " + name))
          .map(line -> line.substring(0, 64))
          .findFirst()
          .orElseThrow();
    }
  }

  private static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  @Test
  void contentEqualsThatOfLonghorn() throws Exception {
    try (OpenVolume volume = open()) {
      assertThat(sha256(new DeviceIo(volume.device()).read(0, SIZE))).isEqualTo(expected("head"));
    }
  }

  /** Copies the data of a layer over {@code content}, and skips the holes of the file. */
  private void overlay(byte[] content, String layer) throws Exception {
    Path path = replica.directory().resolve(layer);
    try (SparseFile file = SparseFile.openReadOnly(path);
        FileChannel bytes = FileChannel.open(path)) {
      for (long at = file.nextData(0); at >= 0 && at < SIZE; ) {
        long end = Math.min(SIZE, file.nextHole(at));
        bytes.read(ByteBuffer.wrap(content, (int) at, (int) (end - at)), at);
        at = end < SIZE ? file.nextData(end) : -1;
      }
    }
  }

  // The fixture's layers, as Longhorn has them above a backing file: holes show the image.
  @Test
  void contentAboveAnImageIsThatOfTheLayersOverTheImage() throws Exception {
    BaseLocation base =
        new BaseLocation("debian", "6f0e", DiskLocation.directory("node-1", disk), "sha512:first");
    byte[] expected = new byte[SIZE];
    byte[] image = new byte[SIZE / 2];
    new Random(22).nextBytes(image);
    try (BaseWriter writer = engine.createBase(base, image.length)) {
      new DeviceIo(writer.device()).write(0, image);
      writer.seal("sha512:first");
    }
    System.arraycopy(image, 0, expected, 0, image.length);
    List<String> chain =
        List.of("volume-snap-snap1.img", "volume-snap-snap2.img", "volume-head-002.img");
    for (String layer : chain) {
      overlay(expected, layer);
    }
    Path meta = replica.directory().resolve("volume.meta");
    String path = "/host/var/lib/longhorn/backing-images/debian-6f0e/backing";
    Files.writeString(
        meta,
        Files.readString(meta)
            .replace("\"BackingFilePath\":\"\"", "\"BackingFilePath\":\"" + path + "\""));
    engine.provisionReplica(new ReplicaRequest(replica, SIZE, new BaseContent(base), Map.of()));
    try (OpenVolume volume = open()) {
      byte[] found = new DeviceIo(volume.device()).read(0, SIZE);
      assertThat(Arrays.mismatch(found, expected)).as("first other byte").isEqualTo(-1);
      assertThat(sha256(found)).isNotEqualTo(expected("head"));
    }
  }

  @Test
  void provisioningAdoptsItAsItIs() throws Exception {
    engine.provisionReplica(replica, SIZE);
    assertThat(engine.inspectReplica(replica).orElseThrow().sizeBytes()).isEqualTo(SIZE);
    contentEqualsThatOfLonghorn();
  }

  @Test
  void writesGoToTheHeadAndSurviveReopening() throws Exception {
    byte[] shadow;
    byte[] snapshot = Files.readAllBytes(replica.directory().resolve("volume-snap-snap2.img"));
    try (OpenVolume volume = open()) {
      DeviceIo io = new DeviceIo(volume.device());
      shadow = io.read(0, SIZE);
      byte[] content = new byte[10_001];
      Arrays.fill(content, (byte) 0x5a);
      for (int offset = 777; offset < SIZE - 3_000_000; offset += 3_000_000) {
        io.write(offset, content);
        System.arraycopy(content, 0, shadow, offset, content.length);
        io.zero(offset + 20_000, 9_999, IoFlags.NONE);
        Arrays.fill(shadow, offset + 20_000, offset + 29_999, (byte) 0);
      }
      assertThat(Arrays.equals(io.read(0, SIZE), shadow)).isTrue();
    }
    try (OpenVolume volume = open()) {
      byte[] found = new DeviceIo(volume.device()).read(0, SIZE);
      assertThat(Arrays.equals(found, shadow)).isTrue();
    }
    assertThat(
            Arrays.equals(
                Files.readAllBytes(replica.directory().resolve("volume-snap-snap2.img")), snapshot))
        .isTrue();
  }
}
