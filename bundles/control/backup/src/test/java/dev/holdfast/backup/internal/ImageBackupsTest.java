package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.image.ImageBackupContent;
import dev.holdfast.backupstore.image.LonghornImages;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Clusters that share a target back up, find and restore images. */
class ImageBackupsTest {
  private static final String CONTENT = "sha256-16m:1";

  private final MemoryTargets targets = new MemoryTargets();
  private final byte[] content = content();

  private static byte[] content() {
    byte[] content = new byte[5 << 20];
    byte[] data = new byte[3 << 20];
    new Random(22).nextBytes(data);
    System.arraycopy(data, 0, content, 0, data.length);
    return content;
  }

  private ImageLab cluster(long seed, Faults faults) throws StorageException {
    return new ImageLab(seed, faults, targets.installed());
  }

  private static String sha512(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(content));
  }

  private static void awaitState(ImageLab lab, BackupState state) throws StorageException {
    lab.simulation.runUntil(
        "the backup is " + state,
        ImageLab.LIMIT,
        store -> lab.entry().filter(entry -> entry.status().state() == state).isPresent());
  }

  private ImageLab backedUp() throws StorageException {
    ImageLab lab = cluster(1, Faults.NONE);
    lab.add(content, "f".repeat(128), CONTENT);
    lab.request();
    awaitState(lab, BackupState.COMPLETED);
    return lab;
  }

  private byte[] atTarget() throws StorageException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (ImageBackupContent opened =
        ImageBackupContent.open(targets.store, ImageLab.IMAGE, targets.options.timing())) {
      opened.copyTo(
          0,
          new ImageBackupContent.Sink() {
            @Override
            public void data(ByteBuffer bytes) {
              byte[] piece = new byte[bytes.remaining()];
              bytes.get(piece);
              read.writeBytes(piece);
            }

            @Override
            public void zeroes(long length) {
              read.writeBytes(new byte[(int) length]);
            }
          });
    }
    return read.toByteArray();
  }

  @Test
  void backupHasTheContentAndBothChecksums() throws Exception {
    BackupBackingImage entry = backedUp().entry().orElseThrow();

    assertThat(atTarget()).isEqualTo(content);
    assertThat(entry.status().checksum()).isEqualTo(sha512(content));
    assertThat(entry.status().contentChecksum()).isEqualTo(CONTENT);
    assertThat(entry.status().url()).isEqualTo("mem://target?backingImage=debian");
    assertThat(entry.status().size()).isEqualTo(new Quantity(content.length));
  }

  @Test
  void anotherClusterFindsTheBackupAndForgetsItWhenItIsDeleted() throws Exception {
    ImageLab first = backedUp();
    ImageLab other = cluster(2, Faults.NONE);
    other.scan();
    awaitState(other, BackupState.COMPLETED);
    assertThat(other.entry().orElseThrow().spec().userCreated()).isFalse();

    first.store.delete(BackupBackingImage.KIND, ImageLab.ENTRY, "");
    first.simulation.runUntil(
        "the backup is deleted", ImageLab.LIMIT, store -> first.entry().isEmpty());
    assertThat(new LonghornImages(targets.store).names()).isEmpty();
    other.scan();
    other.simulation.runUntil(
        "the entry is gone", ImageLab.LIMIT, store -> other.entry().isEmpty());
  }

  @Test
  void entryThatIsDeletedLeavesTheBackupOfTheOtherCluster() throws Exception {
    var unused = backedUp();
    ImageLab other = cluster(2, Faults.NONE);
    other.scan();
    awaitState(other, BackupState.COMPLETED);
    other.store.delete(BackupBackingImage.KIND, ImageLab.ENTRY, "");

    assertThat(other.entry()).isEmpty();
    assertThat(new LonghornImages(targets.store).names()).containsExactly(ImageLab.IMAGE);
  }

  @Test
  void anotherImageOfTheNameIsRefusedUntilTheBackupIsDeleted() throws Exception {
    ImageLab first = backedUp();
    ImageLab other = cluster(2, Faults.NONE);
    other.add(new byte[1 << 20], "e".repeat(128), "sha256-16m:2");
    other.request();
    awaitState(other, BackupState.ERROR);
    assertThat(other.entry().orElseThrow().status().error())
        .contains("another image of this name")
        .contains(sha512(content));

    first.store.delete(BackupBackingImage.KIND, ImageLab.ENTRY, "");
    first.simulation.runUntil(
        "the backup is deleted", ImageLab.LIMIT, store -> first.entry().isEmpty());
    awaitState(other, BackupState.COMPLETED);
    assertThat(atTarget()).isEqualTo(new byte[1 << 20]);
  }

  @Test
  void imageThatIsAbsentFailsTheBackup() throws Exception {
    ImageLab lab = cluster(1, Faults.NONE);
    lab.request();
    awaitState(lab, BackupState.ERROR);

    assertThat(lab.entry().orElseThrow().isFinal()).isTrue();
    assertThat(lab.entry().orElseThrow().status().error()).contains("debian does not exist");
  }

  /** Images keep the layout of Longhorn, which has no encryption. */
  @Test
  void encryptedTargetRefusesTheBackupOfAnImage() throws Exception {
    targets.secrets.put(
        "backup-keys", Map.of("key-1", "k".repeat(32).getBytes(StandardCharsets.UTF_8)));
    ImageLab lab = cluster(1, Faults.NONE);
    lab.encrypt("backup-keys");
    lab.add(content, "f".repeat(128), CONTENT);
    lab.request();
    awaitState(lab, BackupState.ERROR);

    assertThat(lab.entry().orElseThrow().status().error())
        .contains("has no encryption, which spec.encryptionSecret of the target demands");
    assertThat(new LonghornImages(targets.store).names()).isEmpty();
  }

  /** Clock of a target that follows the clock of a cluster, so that leases of locks end. */
  private static final class ClusterClock extends Clock {
    private volatile Clock cluster = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);

    @Override
    public Instant instant() {
      return cluster.instant();
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  /** The nodes stop and lose writes at any step, and calls of the target fail. */
  @Test
  void backupIsWholeAndDeletedWhateverHappens() throws Exception {
    Histories.play(
        20,
        seed -> {
          ClusterClock clock = new ClusterClock();
          MemoryTargets failing = new MemoryTargets(clock);
          Random random = new Random(seed);
          FaultyObjectStore.Plan plan =
              (call, key) -> {
                if (random.nextInt(60) == 0) {
                  throw new StorageException(ErrorCode.UNREACHABLE, "the target is away");
                }
              };
          ImageLab lab = new ImageLab(seed, Faults.ALL, failing.installed());
          clock.cluster = lab.simulation.clock();
          lab.add(content, "f".repeat(128), CONTENT);
          lab.request();
          failing.plan = plan;
          awaitState(lab, BackupState.COMPLETED);
          failing.plan = (call, key) -> {};
          assertThat(new LonghornImages(failing.store).image(ImageLab.IMAGE).blockCount())
              .isEqualTo(2);
          lab.store.delete(BackupBackingImage.KIND, ImageLab.ENTRY, "");
          failing.plan = plan;
          lab.simulation.runUntil(
              "the backup is deleted", ImageLab.LIMIT, store -> lab.entry().isEmpty());
          assertThat(new LonghornImages(failing.store).names()).isEmpty();
        });
  }

  /** A snapshot with one block above an image. */
  private static final class OneBlock implements BackupSource {
    @Override
    public long sizeBytes() {
      return 8 << 20;
    }

    @Override
    public Optional<String> refusesBase(BackupSummary last) {
      return Optional.of("the first one");
    }

    @Override
    public void changedSince(BackupSummary last, RangeVisitor visitor) {
      throw new AssertionError("refused");
    }

    @Override
    public void allocated(RangeVisitor visitor) {
      throw new AssertionError("stands on an image");
    }

    @Override
    public void aboveImage(RangeVisitor visitor) {
      visitor.range(0, 4096);
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      while (target.hasRemaining()) {
        target.put((byte) 7);
      }
    }
  }

  private Volume restored(ImageLab lab, RecordedImage image) throws StorageException {
    return restored(lab, image, spec -> spec);
  }

  private Volume restored(ImageLab lab, RecordedImage image, UnaryOperator<VolumeSpec> spec)
      throws StorageException {
    BackupRequest request =
        new BackupRequest(
            new BackupName("data", "backup-1"),
            "snap",
            "u",
            Instant.EPOCH,
            Map.of(),
            false,
            2 << 20,
            Compression.LZ4,
            image);
    var unused =
        new LonghornBackupWriter(targets.store, 1, targets.options.timing())
            .write(request, new OneBlock(), LonghornBackupWriter.Progress.NONE);
    return lab.store.create(
        Volume.of(
            "copy",
            spec.apply(
                VolumeSpec.EMPTY
                    .withSize(Quantity.parse("8Mi"))
                    .withFromBackup(MemoryTargets.URL + "?backup=backup-1&volume=data"))));
  }

  private static Volume copy(ImageLab lab) throws StorageException {
    return lab.store.get(Volume.KIND, "copy").orElseThrow();
  }

  private static void awaitRestore(ImageLab lab, CloneState state) throws StorageException {
    lab.simulation.runUntil(
        "the restore is " + state,
        ImageLab.LIMIT,
        store -> copy(lab).status().restore().state() == state);
  }

  private static void awaitImage(ImageLab lab) throws StorageException {
    lab.simulation.runUntil(
        "the image is created",
        ImageLab.LIMIT,
        store -> store.get(BackingImage.KIND, ImageLab.IMAGE).isPresent());
  }

  @Test
  void volumeOfAnImageHasItsImageRestoredFirst() throws Exception {
    var unused = backedUp();
    ImageLab other = cluster(2, Faults.ALL);
    restored(other, new RecordedImage(ImageLab.IMAGE, "f".repeat(128), CONTENT));
    awaitImage(other);
    BackingImage image = other.store.get(BackingImage.KIND, ImageLab.IMAGE).orElseThrow();
    assertThat(image.spec().sourceType()).isEqualTo("restore");
    assertThat(image.spec().sourceParameters())
        .containsExactly(Map.entry("backup-url", "mem://target?backingImage=debian"));
    assertThat(image.spec().checksum()).isEqualTo(sha512(content));
    assertThat(copy(other).status().restore().state()).isEqualTo(CloneState.NONE);

    // The restored file is raw, so that only the content is that of the first cluster's image.
    other.ready(image, content.length, sha512(content), CONTENT);
    awaitRestore(other, CloneState.INITIATED);
    assertThat(copy(other).spec().backingImage()).isEqualTo(ImageLab.IMAGE);
  }

  @Test
  void flattenedVolumeWaitsForTheImageAndDoesNotStandOnIt() throws Exception {
    ImageLab lab = cluster(1, Faults.NONE);
    restored(
        lab,
        new RecordedImage(ImageLab.IMAGE, "f".repeat(128), CONTENT),
        spec -> spec.withRestoreFlattened(true));
    awaitRestore(lab, CloneState.FAILED);

    lab.add(content, "f".repeat(128), "");
    awaitRestore(lab, CloneState.INITIATED);
    assertThat(copy(lab).spec().backingImage()).isEmpty();
  }

  @Test
  void imageOfTheClusterWithOtherContentIsRefused() throws Exception {
    ImageLab lab = cluster(1, Faults.NONE);
    lab.add(content, "e".repeat(128), "sha256-16m:2");
    restored(lab, new RecordedImage(ImageLab.IMAGE, "f".repeat(128), CONTENT));
    awaitRestore(lab, CloneState.FAILED);

    assertThat(copy(lab).status().restore().message())
        .contains("image debian has other content")
        .contains("f".repeat(128));
    assertThat(copy(lab).spec().backingImage()).isEmpty();
  }

  @Test
  void imageThatNothingHasIsNamedWithARemedy() throws Exception {
    ImageLab lab = cluster(1, Faults.NONE);
    restored(lab, new RecordedImage(ImageLab.IMAGE, "f".repeat(128), CONTENT));
    awaitRestore(lab, CloneState.FAILED);
    assertThat(copy(lab).status().restore().message())
        .contains("neither the cluster nor the target has it")
        .contains("holdfast image backup debian");

    lab.add(content, "f".repeat(128), "");
    awaitRestore(lab, CloneState.INITIATED);
    assertThat(copy(lab).spec().backingImage()).isEqualTo(ImageLab.IMAGE);
  }

  @Test
  void chosenImageWithTheContentIsTaken() throws Exception {
    ImageLab lab = cluster(1, Faults.NONE);
    BackingImage other =
        lab.store.create(BackingImage.of("same", BackingImageSpec.EMPTY.withSourceType("upload")));
    lab.ready(other, content.length, "d".repeat(128), CONTENT);
    Volume volume = restored(lab, new RecordedImage(ImageLab.IMAGE, "f".repeat(128), CONTENT));
    lab.store.update(volume.withSpec(volume.spec().withBackingImage("same")));
    awaitRestore(lab, CloneState.INITIATED);

    assertThat(copy(lab).spec().backingImage()).isEqualTo("same");
  }
}
