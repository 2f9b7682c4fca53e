package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Inspection, preparation and release of disks. */
abstract class DiskTests extends EngineTests {
  private final EngineLab.SharedDisk lab;

  DiskTests(EngineLab.SharedDisk lab) {
    super(lab);
    this.lab = lab;
  }

  private DiskEngine disks() {
    assertThat(engine)
        .as("an engine with disks of its own is a DiskEngine")
        .isInstanceOf(DiskEngine.class);
    return (DiskEngine) engine;
  }

  @Test
  final void theEngineDeclaresTheKindOfItsDisks() throws Exception {
    assertThat(disks().diskKinds()).as("declared kinds").contains(blankDisk(1).kind());
    assertThat(disks().topology()).isNotNull();
    assertThat(disks().fencing()).isNotNull();
  }

  @Test
  final void inspectionFindsNothingOnABlankDiskAndChangesNothing() throws Exception {
    DiskLocation blank = blankDisk(1);
    byte[] before = lab.content(blank);
    assertThat(disks().inspectDisk(blank)).as("inspection of a blank disk").isEmpty();
    assertThat(lab.content(blank)).as("content of an inspected disk").isEqualTo(before);
  }

  @Test
  final void aPreparedDiskKeepsItsIdentity() throws Exception {
    DiskInfo first = disks().prepareDisk(blankDisk(1));
    assertThat(disks().prepareDisk(blankDisk(1)).identity())
        .as("identity of a disk that is prepared again")
        .isEqualTo(first.identity());
    restartUncleanly();
    assertThat(disks().inspectDisk(blankDisk(1)).orElseThrow().identity())
        .as("identity after a kill")
        .isEqualTo(first.identity());
  }

  @Test
  final void eachDiskHasAnIdentityOfItsOwn() throws Exception {
    assertThat(disks().prepareDisk(blankDisk(1)).identity())
        .isNotEqualTo(disks().prepareDisk(blankDisk(2)).identity());
  }

  @Test
  final void aDiskThatHoldsSomethingIsRefusedAndLeftAsItIs() throws Exception {
    DiskLocation foreign = blankDisk(1);
    String what = lab.putForeignContent(foreign);
    byte[] before = lab.content(foreign);
    assertThatThrownBy(() -> disks().inspectDisk(foreign))
        .isInstanceOfSatisfying(StorageException.class, DiskTests::isInvalid)
        .hasMessageContaining(what);
    assertThatThrownBy(() -> disks().prepareDisk(foreign))
        .isInstanceOfSatisfying(StorageException.class, DiskTests::isInvalid)
        .hasMessageContaining(what);
    assertThat(lab.content(foreign)).as("content of a refused disk").isEqualTo(before);
  }

  private static void isInvalid(StorageException e) {
    assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
  }

  @Test
  final void aDiskThatIsAbsentIsNotFound() throws Exception {
    DiskLocation absent = lab.absent(blankDisk(1));
    assertThat(failureOf(() -> disks().inspectDisk(absent))).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(failureOf(() -> disks().prepareDisk(absent))).isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  final void sizesFitEachOther() throws Exception {
    DiskInfo info = disks().prepareDisk(blankDisk(1));
    assertThat(info.freeBytes()).isLessThanOrEqualTo(info.sizeBytes());
    assertThat(info.promisableBytes())
        .as("promisable space of the kit's disk")
        .isGreaterThanOrEqualTo(SIZE);
    provisioned(1);
    DiskInfo after = disks().inspectDisk(blankDisk(1)).orElseThrow();
    assertThat(after.promisableBytes())
        .as("promisable space, replicas that are there included")
        .isEqualTo(info.promisableBytes());
  }

  @Test
  final void aReleasedDiskKeepsItsReplicas() throws Exception {
    List<ReplicaLocation> replicas = provisioned(1);
    String identity = disks().inspectDisk(blankDisk(1)).orElseThrow().identity();
    byte[] content = bytes(4096);
    try (OpenVolume volume = open(replicas)) {
      io(volume).write(0, content);
      io(volume).flush();
      assertThat(failureOf(() -> disks().releaseDisk(blankDisk(1))))
          .as("release while a volume is open")
          .isEqualTo(ErrorCode.BUSY);
    }
    disks().releaseDisk(blankDisk(1));
    disks().releaseDisk(blankDisk(1));
    assertThat(disks().prepareDisk(blankDisk(1)).identity()).isEqualTo(identity);
    try (OpenVolume volume = open(replicas)) {
      assertThat(io(volume).read(0, 4096)).isEqualTo(content);
    }
  }
}
