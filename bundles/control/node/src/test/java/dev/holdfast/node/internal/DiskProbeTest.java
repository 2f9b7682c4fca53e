package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskProbeTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");

  @TempDir private Path directory;

  private DiskStatus observe(Path path, DiskStatus earlier) {
    return DiskProbe.observe("disk-1", DiskSpec.EMPTY.withPath(path.toString()), earlier, NOW);
  }

  private static String reason(DiskStatus status) {
    return Condition.find(status.conditions(), DiskProbe.READY).orElseThrow().reason();
  }

  private static String message(DiskStatus status) {
    return Condition.find(status.conditions(), DiskProbe.READY).orElseThrow().message();
  }

  private static DiskStatus observeMade(Path path, DiskStatus earlier) {
    DiskSpec made = DiskSpec.EMPTY.withPath(path.toString()).withCreate(true);
    return DiskProbe.observe("disk-1", made, earlier, NOW);
  }

  @Test
  void newDiskWithoutADirectoryIsAbsentAndNoDirectoryIsCreated() {
    Path path = directory.resolve("nonexistent/x");
    DiskStatus status = observe(path, DiskStatus.EMPTY);
    assertThat(reason(status)).isEqualTo("DiskAbsent");
    assertThat(message(status))
        .contains("'holdfast disk remove disk-1'")
        .endsWith("then 'holdfast disk add --create " + path + "'");
    assertThat(status.diskUUID()).isEmpty();
    assertThat(path.getParent()).doesNotExist();
  }

  @Test
  void aNewDiskGetsItsDirectoryAndIdentifier() throws Exception {
    Path path = directory.resolve("disks/disk-1");
    DiskStatus status = observeMade(path, DiskStatus.EMPTY);
    assertThat(Condition.isTrue(status.conditions(), DiskProbe.READY)).isTrue();
    assertThat(status.diskUUID()).isEqualTo(DiskIdentity.read(path).orElseThrow());
    assertThat(status.storageMaximum().bytes()).isPositive();
    assertThat(status.path()).isEqualTo(path.toString());
    assertThat(observe(path, status)).isEqualTo(status);
  }

  @Test
  void diskOfLonghornIsRecognized() throws Exception {
    Files.writeString(
        directory.resolve("longhorn-disk.cfg"),
        "{\"diskUUID\":\"0b5d0b2f-5d0f-4b0b-9b0e-6c2ad3c0b7aa\"}");
    assertThat(observe(directory, DiskStatus.EMPTY).diskUUID())
        .isEqualTo("0b5d0b2f-5d0f-4b0b-9b0e-6c2ad3c0b7aa");
  }

  @Test
  void replicasThatOthersCouldReadAreClosedAtTheFirstLook() throws Exception {
    Path head = directory.resolve("replicas/demo-r-1/volume-head-000.img");
    Path beside = directory.resolve("replicas/demo-r-1/revision.counter");
    Files.createDirectories(head.getParent());
    Files.writeString(head, "data");
    Files.createSymbolicLink(beside, Files.writeString(directory.resolve("foreign"), ""));
    List<Path> open =
        List.of(
            directory.resolve("foreign"), head, head.getParent(), directory.resolve("replicas"));
    for (Path path : open) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    DiskStatus status = observe(directory, DiskStatus.EMPTY);

    assertThat(Condition.isTrue(status.conditions(), DiskProbe.READY)).isTrue();
    assertThat(open.subList(1, open.size()))
        .allSatisfy(
            path ->
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(open.get(0))))
        .as("a file elsewhere that a link leads to")
        .isEqualTo("rwxr-xr-x");
  }

  @Test
  void aRegistrationThatWasCutShortKeepsTheIdentifier() throws Exception {
    String first = observe(directory, DiskStatus.EMPTY).diskUUID();
    assertThat(observe(directory, DiskStatus.EMPTY).diskUUID()).isEqualTo(first);
  }

  @Test
  void aDirectoryThatVanishedIsNotMadeAgain() throws Exception {
    Path path = directory.resolve("disk");
    DiskStatus registered = observeMade(path, DiskStatus.EMPTY);
    Files.delete(path.resolve("longhorn-disk.cfg"));
    Files.delete(path);
    DiskStatus status = observeMade(path, registered);
    assertThat(reason(status)).isEqualTo("DiskAbsent");
    assertThat(status.diskUUID()).isEqualTo(registered.diskUUID());
    assertThat(status.storageAvailable()).isEqualTo(Quantity.ZERO);
    assertThat(path).doesNotExist();
  }

  @Test
  void anEmptyMountPointIsNotTakenForTheDisk() throws Exception {
    DiskStatus registered = observe(directory, DiskStatus.EMPTY);
    Files.delete(directory.resolve("longhorn-disk.cfg"));
    assertThat(reason(observe(directory, registered))).isEqualTo("DiskAbsent");
    assertThat(directory.resolve("longhorn-disk.cfg")).doesNotExist();
  }

  @Test
  void anotherDiskInItsPlaceIsNoticed() throws Exception {
    DiskStatus registered = observe(directory, DiskStatus.EMPTY);
    Files.writeString(directory.resolve("longhorn-disk.cfg"), "{\"diskUUID\": \"other\"}");
    DiskStatus status = observe(directory, registered);
    assertThat(reason(status)).isEqualTo("DiskChanged");
    Files.writeString(
        directory.resolve("longhorn-disk.cfg"),
        "{\"diskUUID\": \"" + registered.diskUUID() + "\"}");
    assertThat(reason(observe(directory, status))).isEqualTo("DiskReady");
  }

  @Test
  void aDamagedIdentifierIsNotReplaced() throws Exception {
    DiskStatus registered = observe(directory, DiskStatus.EMPTY);
    Files.writeString(directory.resolve("longhorn-disk.cfg"), "");
    assertThat(reason(observe(directory, registered))).isEqualTo("DiskFailed");
    assertThat(reason(observe(directory, DiskStatus.EMPTY))).isEqualTo("DiskFailed");
    assertThat(Files.size(directory.resolve("longhorn-disk.cfg"))).isZero();
  }

  @Test
  void aFileIsNotADisk() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(reason(observe(file, DiskStatus.EMPTY))).isEqualTo("DiskFailed");
  }

  @Test
  void onlyTheDiskWhoseNameTheNodeCannotUseFails() {
    DiskSpec spec = DiskSpec.EMPTY.withPath("/srv/\0");
    DiskStatus status = DiskProbe.observe("disk-1", spec, DiskStatus.EMPTY, NOW);
    assertThat(reason(status)).isEqualTo("DiskFailed");
    assertThat(message(status)).contains("LC_ALL=C.UTF-8");
  }
}
