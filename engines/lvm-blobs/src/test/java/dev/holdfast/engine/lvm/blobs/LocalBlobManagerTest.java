package dev.holdfast.engine.lvm.blobs;

import static dev.holdfast.engine.lvm.blobs.SimulatedNode.MIB;
import static dev.holdfast.engine.lvm.blobs.SimulatedNode.blob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.SimulatedDevice;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.vm.testkit.HostCrash;
import dev.holdfast.vm.testkit.RecordingHost.Moment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LocalBlobManagerTest {
  private static final Blob A = blob("a");
  private static final Blob B = blob("b");
  private static final long SIZE = 64 * MIB;

  private final SimulatedNode node = new SimulatedNode();

  private interface Attempt {
    void run() throws StorageException;
  }

  private static void assertFails(ErrorCode code, String text, Attempt attempt) {
    assertThatThrownBy(attempt::run)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
        .hasMessageContaining(text);
  }

  @Test
  void blobIsCreatedAttachedGrownAndDeleted() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    assertThat(node.blobs.find(A).orElseThrow().complete()).isTrue();
    AttachedBlob device = node.blobs.attach(A, "one");
    assertThat(device.device()).hasToString("/dev/mapper/hf-vg0-a-l");
    assertThat(device.sizeBytes()).isEqualTo(SIZE);
    node.blobs.extend(A, 2 * SIZE);
    assertThat(node.blobs.attach(A, "one").sizeBytes()).isEqualTo(2 * SIZE);
    assertThat(node.blobs.size(A)).isEqualTo(2 * SIZE);
    node.lvm.fill("hf-a", SIZE / 4, 0);
    assertThat(node.blobs.find(A).orElseThrow().usedBytes()).isEqualTo(SIZE / 4);
    node.blobs.detach(A, "one");
    node.blobs.delete(A);
    assertThat(node.blobs.find(A)).isEmpty();
    node.assertNothingLeftOver();
  }

  @Test
  void deviceStaysWhileOneCookieIsLeft() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    AttachedBlob device = node.blobs.attach(A, "one");
    assertThat(node.blobs.attach(A, "two")).isEqualTo(device);
    node.blobs.detach(A, "one");
    assertThat(node.lvm.mapper.names()).containsExactly("hf-vg0-a-l");
    assertThat(node.blobs.find(A).orElseThrow().cookies()).containsExactly("two");
    assertFails(ErrorCode.BUSY, "two on node node-1", () -> node.blobs.delete(A));
    node.blobs.detach(A, "two");
    assertThat(node.lvm.mapper.names()).isEmpty();
    assertThat(node.lvm.isActive("hfp-a")).isFalse();
  }

  @Test
  void detachOfAnUnknownCookieChangesNothing() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.blobs.attach(A, "one");
    node.blobs.detach(A, "other");
    node.blobs.detach(B, "one");
    assertThat(node.lvm.mapper.names()).hasSize(1);
    node.assertSettled();
  }

  @Test
  void detachOfADeviceInUseKeepsTheCookie() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.blobs.attach(A, "one");
    node.lvm.mapper.open("hf-vg0-a-l", true);
    assertFails(ErrorCode.BUSY, "hf-vg0-a-l", () -> node.blobs.detach(A, "one"));
    node.assertSettled();
    node.lvm.mapper.open("hf-vg0-a-l", false);
    node.blobs.detach(A, "one");
    node.assertNothingLeftOver();
  }

  @Test
  void startKeepsADeviceInUseAndADeviceThatWasAttachedAgain() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.blobs.attach(A, "one");
    node.lvm.mapper.open("hf-vg0-a-l", true);
    node.host.crash(command -> command.contains("remove"), Moment.BEFORE);
    assertThatThrownBy(() -> node.blobs.detach(A, "one")).isInstanceOf(HostCrash.class);
    assertFails(ErrorCode.BUSY, "hf-vg0-a-l", node::restart);
    node.assertSettled();
    node.host.crash(command -> command.contains("remove"), Moment.BEFORE);
    assertThatThrownBy(() -> node.blobs.detach(A, "one")).isInstanceOf(HostCrash.class);
    node.host.restart();
    node.blobs.attach(A, "two");
    node.restart();
    assertThat(node.blobs.find(A).orElseThrow().cookies()).containsExactly("two");
    node.assertSettled();
    node.lvm.mapper.open("hf-vg0-a-l", false);
    node.assertNothingLeftOver();
  }

  @Test
  void poolGoesWithItsLastBlob() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.blobs.createCopy(B, A);
    node.blobs.delete(A);
    assertThat(node.lvm.volumeNames()).containsExactly("hfp-a", "hf-b");
    node.blobs.attach(B, "one");
    node.blobs.detach(B, "one");
    node.blobs.delete(B);
    assertThat(node.lvm.volumeNames()).isEmpty();
  }

  @Test
  void volumesOfOtherProgramsAreLeftAlone() throws Exception {
    node.lvm.foreign("hf-a");
    node.lvm.mapper.foreign("hf-vg0-b-l");
    assertFails(
        ErrorCode.INVALID,
        "lvrename vg0 hf-a",
        () -> node.blobs.createEmpty(A, BlobOptions.THIN, SIZE));
    node.blobs.delete(A);
    assertThat(node.recorded()).isEmpty();
    node.blobs.createEmpty(B, BlobOptions.THIN, SIZE);
    assertFails(ErrorCode.INVALID, "dmsetup remove hf-vg0-b-l", () -> node.blobs.attach(B, "one"));
    node.blobs.detach(B, "one");
    node.blobs.delete(B);
    assertThat(node.lvm.volumeNames()).containsExactly("hf-a");
    assertThat(node.lvm.mapper.names()).containsExactly("hf-vg0-b-l");
  }

  @Test
  void fullGroupLeavesNothingBehind() throws Exception {
    node.blobs.createEmpty(B, BlobOptions.LINEAR, 4000 * MIB);
    for (BlobOptions options : List.of(BlobOptions.LINEAR, BlobOptions.THIN)) {
      assertFails(
          ErrorCode.NO_SPACE, "vgextend", () -> node.blobs.createEmpty(A, options, 1024 * MIB));
      assertThat(node.lvm.volumeNames()).containsExactly("hf-b");
      node.assertSettled();
    }
    assertFails(ErrorCode.NO_SPACE, "vgextend", () -> node.blobs.extend(B, 5000 * MIB));
    assertThat(node.blobs.size(B)).isEqualTo(4000 * MIB);
    node.assertSettled();
  }

  @Test
  void filledPoolIsExtendedByAFifth() throws Exception {
    long pool = 1024 * MIB;
    node.blobs.createEmpty(A, BlobOptions.THIN, 8192 * MIB);
    assertThat(node.blobs.keepSpace("vg0")).as("no pool is active").isEmpty();
    node.blobs.attach(A, "one");
    node.lvm.fill("hfp-a", pool / 10 * 7, MIB);
    node.blobs.keepSpace("vg0");
    assertThat(node.lvm.size("hfp-a")).isEqualTo(pool);
    node.lvm.fill("hfp-a", pool / 10 * 9, 10 * MIB);
    assertThat(node.blobs.keepSpace("vg0"))
        .singleElement()
        .satisfies(space -> assertThat(space.blobs()).containsExactly(A))
        .satisfies(space -> assertThat(space.shortage()).isFalse());
    assertThat(node.lvm.size("hfp-a")).isEqualTo(2 * pool);
    assertThat(node.lvm.metadata("hfp-a")).isEqualTo(16 * MIB);
    node.lvm.fill("hfp-a", 2 * pool, MIB);
    node.blobs.keepSpace("vg0");
    node.lvm.fill("hfp-a", 3 * pool, MIB);
    assertThat(node.blobs.keepSpace("vg0").get(0).shortage()).isFalse();
    assertThat(node.lvm.size("hfp-a")).as("what was free").isEqualTo(SimulatedLvm.SIZE - 16 * MIB);
    node.lvm.fill("hfp-a", SimulatedLvm.SIZE - 16 * MIB, MIB);
    assertThat(node.blobs.keepSpace("vg0").get(0).shortage()).isTrue();
    assertFails(ErrorCode.NO_SPACE, "vgextend vg0", () -> node.blobs.createCopy(B, A));
    node.assertSettled();
  }

  /** The kernel fails writers to a pool without metadata, so that never is what is missing. */
  @Test
  void metadataHasRoomForAllThatTheBlobsOfAPoolCanMap() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, 1800 * MIB);
    node.blobs.createCopy(B, A);
    assertThat(node.lvm.metadata("hfp-a")).isEqualTo(6 * MIB);
    node.blobs.createEmpty(new Blob("vg0", "filler"), BlobOptions.LINEAR, 3066 * MIB);
    Blob third = new Blob("vg0", "third");
    assertFails(ErrorCode.NO_SPACE, "vgextend vg0", () -> node.blobs.createCopy(third, A));
    assertFails(ErrorCode.NO_SPACE, "vgextend vg0", () -> node.blobs.extend(B, 3000 * MIB));
    assertThat(node.blobs.size(B)).isEqualTo(1800 * MIB);
    node.blobs.delete(new Blob("vg0", "filler"));
    node.blobs.extend(B, 3000 * MIB);
    assertThat(node.lvm.metadata("hfp-a")).isEqualTo(8 * MIB);
    node.assertSettled();
  }

  @Test
  void poolIsNotExtendedBeyondWhatItsBlobsCanNeed() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.blobs.attach(A, "one");
    node.lvm.fill("hfp-a", SIZE, MIB);
    assertThat(node.blobs.keepSpace("vg0").get(0).shortage()).isFalse();
    assertThat(node.lvm.size("hfp-a")).isEqualTo(SIZE);
  }

  @Test
  void filledPoolIsExtendedBeforeACopyIsCreated() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.lvm.fill("hfp-a", SIZE, MIB);
    node.blobs.createCopy(B, A);
    assertThat(node.lvm.size("hfp-a")).isEqualTo(2 * SIZE);
    node.assertSettled();
  }

  @Test
  void changesAreListedWithoutGaps() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.blobs.createCopy(B, A);
    AttachedBlob attached = node.blobs.attach(B, "one");
    try (SimulatedDevice device = node.lvm.open(attached.device())) {
      device.write(65536, ByteBuffer.allocate(512));
    }
    node.blobs.detach(B, "one");
    List<String> extents = new ArrayList<>();
    node.blobs.changes(
        Optional.of(A),
        B,
        (offset, length, kind) -> extents.add(offset + " " + length + " " + kind));
    assertThat(extents)
        .containsExactly("0 65536 HOLE", "65536 65536 DATA", "131072 " + (SIZE - 131072) + " HOLE");
    Blob linear = blob("linear");
    node.blobs.createEmpty(linear, BlobOptions.LINEAR, SIZE);
    assertFails(
        ErrorCode.UNSUPPORTED,
        "linear",
        () -> node.blobs.changes(Optional.empty(), linear, (offset, length, kind) -> true));
    assertFails(
        ErrorCode.INVALID,
        "not in the pool",
        () -> node.blobs.changes(Optional.of(linear), A, (offset, length, kind) -> true));
    node.assertSettled();
  }

  @Test
  void existingBlobWithOtherValuesIsRefused() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    assertFails(
        ErrorCode.ALREADY_EXISTS,
        "67108864 B",
        () -> node.blobs.createEmpty(A, BlobOptions.THIN, 2 * SIZE));
    assertFails(
        ErrorCode.ALREADY_EXISTS,
        "LINEAR",
        () -> node.blobs.createEmpty(A, BlobOptions.LINEAR, SIZE));
    node.blobs.createEmpty(B, BlobOptions.THIN, SIZE);
    assertFails(ErrorCode.ALREADY_EXISTS, "vg0/b", () -> node.blobs.createCopy(B, A));
  }

  @Test
  void requestsThatAreImpossibleNameTheObject() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.LINEAR, SIZE);
    assertFails(ErrorCode.UNSUPPORTED, "linear", () -> node.blobs.createCopy(B, A));
    assertFails(
        ErrorCode.UNSUPPORTED,
        "another group",
        () -> node.blobs.createCopy(B, new Blob("vg1", "a")));
    assertFails(ErrorCode.NOT_FOUND, "vg0/b", () -> node.blobs.attach(B, "one"));
    assertFails(ErrorCode.NOT_FOUND, "vg0/b", () -> node.blobs.createCopy(blob("c"), B));
    assertFails(ErrorCode.NOT_FOUND, "vg0/b", () -> node.blobs.size(B));
    assertFails(ErrorCode.NOT_FOUND, "vg1", () -> node.blobs.size(new Blob("vg1", "a")));
    assertFails(
        ErrorCode.INVALID,
        "use 2097152",
        () -> node.blobs.createEmpty(B, BlobOptions.THIN, MIB + 1));
    assertFails(ErrorCode.INVALID, "cannot shrink", () -> node.blobs.extend(A, SIZE - MIB));
    assertThatThrownBy(() -> blob("No")).hasMessageContaining("name: \"No\"");
    assertThatThrownBy(() -> new Blob("../x", "a")).hasMessageContaining("group: \"../x\"");
    assertThatThrownBy(() -> node.blobs.attach(A, "")).hasMessageContaining("cookie");
  }

  @Test
  void missingPackageIsNamed() {
    node.lvm.uninstall("thin_check");
    assertFails(
        ErrorCode.UNSUPPORTED,
        "apt-get install thin-provisioning-tools",
        () -> node.blobs.group("vg0"));
  }

  @Test
  void sharedGroupIsSeenAndNotUsed() throws Exception {
    node.lvm.share("sanlock");
    assertThat(node.blobs.group("vg0").shared()).isTrue();
    assertFails(
        ErrorCode.UNSUPPORTED, "sanlock", () -> node.blobs.createEmpty(A, BlobOptions.THIN, SIZE));
  }

  @Test
  void localGroupBelongsToOneNode() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    BlobManager other = node.start("node-2");
    assertFails(ErrorCode.INVALID, "node-1", () -> other.attach(A, "one"));
    assertFails(ErrorCode.INVALID, "node-1", () -> other.recover("vg0"));
  }

  @Test
  void groupOfTheSameNameHasOtherBlobs() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.lvm.replaceGroup();
    assertThat(node.blobs.find(A)).isEmpty();
  }

  @Test
  void writeWhoseAnswerIsLostIsRepeated() throws Exception {
    node.records.loseAnswer();
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    node.assertSettled();
  }

  @Test
  void recordOfALaterFormatIsRefused() {
    assertFails(
        ErrorCode.INVALID,
        "format 3",
        () -> RecordFormat.read("pool.x", "{\"format\":3}".getBytes(StandardCharsets.UTF_8)));
  }

  private ByteBuffer written(SimulatedDevice device, int value) throws Exception {
    device.write(0, ByteBuffer.wrap(new byte[] {(byte) value}));
    ByteBuffer found = ByteBuffer.allocate(1);
    device.read(0, found);
    return found.flip();
  }

  @Test
  void deviceForHostsIsHeldAndTakenAwayFromItsUsers() throws Exception {
    node.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
    assertFails(ErrorCode.NOT_FOUND, "attach it first", () -> node.devices.show(A));
    AttachedBlob attached = node.blobs.attach(A, "one");
    assertThat(node.devices.isShown(A)).isFalse();
    assertThat(node.devices.show(A)).hasToString("/dev/mapper/hf-vg0-a");
    try (SimulatedDevice host = node.lvm.open(node.devices.show(A));
        SimulatedDevice own = node.lvm.open(attached.device())) {
      assertThat(written(host, 1)).isEqualTo(ByteBuffer.wrap(new byte[] {1}));
      node.devices.hold(A, Duration.ofSeconds(1));
      assertThat(node.lvm.mapper.isSuspended("hf-vg0-a")).isTrue();
      assertThat(written(own, 2)).isEqualTo(ByteBuffer.wrap(new byte[] {2}));
      node.blobs.extend(A, 2 * SIZE);
      assertThat(node.lvm.mapper.isSuspended("hf-vg0-a")).isTrue();
      node.devices.release(A);
      assertThat(host.size()).isEqualTo(2 * SIZE);
      node.devices.hold(A, Duration.ofSeconds(1));
      node.devices.hide(A);
      assertThatThrownBy(() -> written(host, 3)).isInstanceOf(IOException.class);
      assertThat(node.devices.isShown(A)).isFalse();
      node.devices.show(A);
      assertThatThrownBy(() -> written(host, 3)).isInstanceOf(IOException.class);
      assertThat(written(own, 4)).isEqualTo(ByteBuffer.wrap(new byte[] {4}));
    }
    assertThat(node.lvm.mapper.names()).containsExactly("hf-vg0-a", "hf-vg0-a-l");
    node.devices.hide(A);
    node.devices.hide(A);
    node.blobs.detach(A, "one");
    node.assertNothingLeftOver();
  }

  @Test
  void hidingSurvivesACrashAtEachCommand() throws Exception {
    for (int number = 0; ; number++) {
      SimulatedNode crashing = new SimulatedNode();
      crashing.blobs.createEmpty(A, BlobOptions.THIN, SIZE);
      AttachedBlob unused = crashing.blobs.attach(A, "one");
      SimulatedDevice host = crashing.lvm.open(crashing.devices.show(A));
      crashing.host.clear();
      crashing.host.crash(number, Moment.AFTER);
      try {
        crashing.devices.hide(A);
        assertThat(number).isGreaterThan(5);
        return;
      } catch (HostCrash e) {
        crashing.restart();
      }
      crashing.devices.hide(A);
      assertThatThrownBy(() -> written(host, 3)).isInstanceOf(IOException.class);
      host.close();
      assertThat(crashing.lvm.mapper.names()).containsExactly("hf-vg0-a-l");
    }
  }

  @Test
  void groupIsTakenUnlessItHoldsVolumesOfOtherPrograms() throws Exception {
    assertThat(node.blobs.inspect("vg0")).isEmpty();
    assertThat(node.blobs.take("vg0").taken()).isTrue();
    assertThat(node.blobs.take("vg0")).isEqualTo(node.blobs.inspect("vg0").orElseThrow());
    assertThat(node.lvm.groupTags()).containsExactly("holdfast");
    SimulatedNode other = new SimulatedNode();
    other.lvm.foreign("root");
    assertFails(ErrorCode.INVALID, "root", () -> other.blobs.inspect("vg0"));
    assertFails(ErrorCode.INVALID, "vgchange --addtag", () -> other.blobs.take("vg0"));
    assertThat(other.lvm.groupTags()).isEmpty();
    SimulatedNode shared = new SimulatedNode();
    shared.lvm.share("sanlock");
    assertFails(ErrorCode.UNSUPPORTED, "sanlock", () -> shared.blobs.take("vg0"));
  }
}
