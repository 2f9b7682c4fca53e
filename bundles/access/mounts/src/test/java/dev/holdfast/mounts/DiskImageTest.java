package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.mounts.DiskImage.Format;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images as the real qemu-img makes them, and what an attacker makes of them. */
class DiskImageTest {
  @TempDir private Path folder;

  private Path create(String... options) throws Exception {
    Path file = folder.resolve("disk.qcow2");
    List<String> command = new ArrayList<>();
    command.add(HostProgram.require("qemu-img", "qemu-utils").toString());
    command.addAll(List.of("create", "-f", "qcow2"));
    command.addAll(List.of(options));
    command.addAll(List.of(file.toString(), "5M"));
    HostProgram.check(Duration.ofSeconds(30), command);
    return file;
  }

  private static void assertRefused(Path file, String why) {
    StorageException refusal =
        catchThrowableOfType(
            StorageException.class, () -> DiskImage.inspect(file, Optional.of(Format.QCOW2)));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID);
    assertThat(refusal).hasMessageContaining(why);
  }

  @Test
  void qcow2IsRecognizedByItsHeader() throws Exception {
    for (String version : List.of("compat=0.10", "compat=1.1")) {
      DiskImage image = DiskImage.inspect(create("-o", version), Optional.empty());
      assertThat(image.format()).isEqualTo(Format.QCOW2);
      assertThat(image.sizeBytes()).isEqualTo(5 << 20);
    }
  }

  @Test
  void fileDeclaredAsRawIsNotProbed() throws Exception {
    Path file = create();
    DiskImage image = DiskImage.inspect(file, Optional.of(Format.RAW));
    assertThat(image.sizeBytes()).isEqualTo(Files.size(file));
  }

  @Test
  void anImageThatReadsAnotherFileIsRefused() throws Exception {
    Path secret = Files.write(folder.resolve("secret"), new byte[1 << 20]);
    assertRefused(create("-b", secret.toString(), "-F", "raw"), "backing file");
  }

  @Test
  void imageWithAnExternalDataFileIsRejected() throws Exception {
    Path data = folder.resolve("data");
    assertRefused(create("-o", "data_file=" + data), "in another file");
  }

  @Test
  void invalidImageIsRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("text"), "QFI");
    assertRefused(file, "not a qcow2 image");
    assertThat(DiskImage.inspect(file, Optional.empty()).format()).isEqualTo(Format.RAW);
  }

  @Test
  void unknownFeaturesVersionsAndCutHeadersAreRefused() throws Exception {
    Path features = create();
    try (RandomAccessFile raw = new RandomAccessFile(features.toFile(), "rw")) {
      raw.seek(72);
      raw.writeLong(1L << 40);
    }
    assertRefused(features, "features that are not known");
    Path version = create();
    try (RandomAccessFile raw = new RandomAccessFile(version.toFile(), "rw")) {
      raw.seek(4);
      raw.writeInt(9);
    }
    assertRefused(version, "version that is not known");
    Path cut = create();
    try (RandomAccessFile raw = new RandomAccessFile(cut.toFile(), "rw")) {
      raw.setLength(80);
    }
    assertRefused(cut, "damaged");
  }

  @Test
  void missingFileIsReported() {
    StorageException refusal =
        catchThrowableOfType(
            StorageException.class,
            () -> DiskImage.inspect(folder.resolve("none"), Optional.empty()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
  }
}
