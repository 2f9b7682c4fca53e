package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.SourceDisk;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A volume that gets the content of its backup and of the image below, and afterwards needs no
 * image.
 */
@Tag("slow")
class FlattenedRestoreTest extends BackupLab {
  private static final String CONTENT = "sha256-16m:1";
  private static final String FILE = "f".repeat(128);
  private static final int IMAGE_SIZE = 16 << 20;
  private static final int IMAGE_DATA = 13 << 20;
  private static final String URL = MemoryTargets.URL + "?backup=backup-1&volume=data";

  private final byte[] image = new byte[IMAGE_SIZE];
  private final byte[] expected = new byte[(int) SIZE.bytes()];
  private final CountDownLatch reading = new CountDownLatch(1);
  private volatile boolean unreadable;

  /** The images of the cluster. An image that cannot be read now is BUSY. */
  private final class Images implements ClusterDisks {
    @Override
    public SourceDisk volume(String volume, String snapshot) throws StorageException {
      throw new StorageException(ErrorCode.UNSUPPORTED, "no volumes");
    }

    @Override
    public SourceDisk image(String name) throws StorageException {
      reading.countDown();
      if (unreadable) {
        throw new StorageException(ErrorCode.BUSY, "image " + name + " is busy");
      }
      return new ImageLab.MemoryDisk(image);
    }
  }

  /**
   * One block of sevens, one of zeroes above data of the image, and one beyond the end of the
   * image.
   */
  private static final class Blocks implements BackupSource {
    private static final List<Integer> ABOVE = List.of(0, 2 * BLOCK, 10 * BLOCK);

    @Override
    public long sizeBytes() {
      return SIZE.bytes();
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
    public void aboveImage(RangeVisitor visitor) throws StorageException {
      for (int at : ABOVE) {
        visitor.range(at, BLOCK);
      }
    }

    static byte of(long offset) {
      return (byte) (offset < BLOCK ? 7 : offset < 3L * BLOCK ? 0 : 9);
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      for (long at = offset; target.hasRemaining(); at++) {
        target.put(of(at));
      }
    }
  }

  @BeforeEach
  void backUp() throws Exception {
    byte[] data = new byte[IMAGE_DATA];
    new Random(22).nextBytes(data);
    System.arraycopy(data, 0, image, 0, IMAGE_DATA);
    System.arraycopy(image, 0, expected, 0, IMAGE_SIZE);
    for (int at : Blocks.ABOVE) {
      Arrays.fill(expected, at, at + BLOCK, Blocks.of(at));
    }
    BackupRequest request =
        new BackupRequest(
            new BackupName("data", "backup-1"),
            "snap",
            "u",
            Instant.EPOCH,
            Map.of(),
            false,
            BLOCK,
            Compression.LZ4,
            new RecordedImage(ImageLab.IMAGE, FILE, CONTENT));
    var unused =
        new LonghornBackupWriter(targets.store, 1, targets.options.timing())
            .write(request, new Blocks(), LonghornBackupWriter.Progress.NONE);
    store.create(
        BackingImage.of(ImageLab.IMAGE, BackingImageSpec.EMPTY.withSourceType("upload"))
            .withStatus(ImageLab.status(IMAGE_SIZE, FILE, CONTENT)));
    setImage(FILE, CONTENT);
    node.images.addDisks(new Images());
  }

  private void setImage(String checksum, String contentChecksum) throws StorageException {
    BackingImage found = store.get(BackingImage.KIND, ImageLab.IMAGE).orElseThrow();
    store.updateStatus(found.withStatus(ImageLab.status(IMAGE_SIZE, checksum, contentChecksum)));
  }

  private void begin() throws Exception {
    make("copy", SIZE, spec -> spec.withFromBackup(URL).withRestoreFlattened(true));
    Awaiting.until(store, Volume.KIND, "copy", Volume::isBeingCopied);
  }

  private void awaitContent() throws Exception {
    Volume volume =
        Awaiting.until(
            store, Volume.KIND, "copy", v -> v.status().restore().state() == CloneState.COMPLETED);
    assertThat(volume.spec().backingImage()).isEmpty();
    close("copy");
    open("copy", true);
    assertThat(Arrays.mismatch(content("copy"), expected)).as("first other byte").isEqualTo(-1);
    assertThat(backingFiles()).as("paths of backing files").allMatch(String::isEmpty);
  }

  private List<String> backingFiles() throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("disk-1"))) {
      return files
          .filter(file -> file.endsWith("volume.meta"))
          .map(FlattenedRestoreTest::backingFile)
          .toList();
    }
  }

  private static String backingFile(Path meta) {
    try {
      return Files.readString(meta).replaceAll("(?s).*\"BackingFilePath\":\"([^\"]*)\".*", "$1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void contentIsThatOfTheBackupOverTheImageAlsoWhenTheNodeEnds() throws Exception {
    begin();
    unreadable = true;
    open("copy", false);
    assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
    Awaiting.until(
        store, Volume.KIND, "copy", v -> v.status().restore().message().contains("is busy"));
    node.close();
    unreadable = false;
    live();
    node.images.addDisks(new Images());
    awaitContent();
  }

  @Test
  void imageThatBecameAnotherOneIsNotCopied() throws Exception {
    begin();
    setImage("e".repeat(128), "sha256-16m:2");
    open("copy", false);
    Volume told =
        Awaiting.until(
            store,
            Volume.KIND,
            "copy",
            v -> v.status().restore().message().contains("has other content"));
    assertThat(told.status().restore().state()).isEqualTo(CloneState.INITIATED);
    setImage(FILE, CONTENT);
    awaitContent();
  }

  /**
   * Reads random ranges of a backup over a random image; each byte must come from the right source.
   */
  @Test
  void sourceReadsTheBackupAndElseTheImage() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      new OverlayRound(seed).play();
    }
  }
}
