package dev.holdfast.csi.internal.snapshot;

import static dev.holdfast.csi.internal.Driver.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.holdfast.csi.internal.Driver;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.ChangedRange;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotMetadataTest {
  @TempDir Path directory;
  private Driver driver;
  private String base;
  private String target;

  @BeforeEach
  void start() throws StorageException {
    driver = Driver.start(directory);
    driver.platform.changes =
        List.of(
            new ChangedRange(0, 4096), new ChangedRange(8192, 8192), new ChangedRange(65536, 4096));
    String volume = driver.created("pvc-1");
    base = driver.taken("s-1", volume);
    target = driver.taken("s-2", volume);
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  private Csi.GetMetadataDeltaRequest.Builder delta() {
    return Csi.GetMetadataDeltaRequest.newBuilder()
        .setBaseSnapshotId(base)
        .setTargetSnapshotId(target);
  }

  private List<Csi.GetMetadataDeltaResponse> reported(Csi.GetMetadataDeltaRequest.Builder request) {
    return ImmutableList.copyOf(driver.metadata().getMetadataDelta(request.build()));
  }

  private List<Csi.GetMetadataAllocatedResponse> allocated(String snapshot) {
    return ImmutableList.copyOf(
        driver
            .metadata()
            .getMetadataAllocated(
                Csi.GetMetadataAllocatedRequest.newBuilder().setSnapshotId(snapshot).build()));
  }

  private static Csi.BlockMetadata block(long offset, long bytes) {
    return Csi.BlockMetadata.newBuilder().setByteOffset(offset).setSizeBytes(bytes).build();
  }

  @Test
  void streamsDifferencesFromTheOffset() {
    List<Csi.GetMetadataDeltaResponse> pages =
        reported(delta().setStartingOffset(12288).setMaxResults(1));

    assertThat(pages)
        .extracting(page -> page.getBlockMetadataList())
        .containsExactly(List.of(block(12288, 4096)), List.of(block(65536, 4096)));
    assertThat(pages)
        .allMatch(page -> page.getVolumeCapacityBytes() == Driver.SIZE)
        .allMatch(page -> page.getBlockMetadataType() == Csi.BlockMetadataType.VARIABLE_LENGTH);
  }

  @Test
  void streamsAllocatedBlocks() {
    assertThat(allocated(target))
        .singleElement()
        .satisfies(
            page ->
                assertThat(page.getBlockMetadataList())
                    .containsExactly(block(0, 4096), block(8192, 8192), block(65536, 4096)));
  }

  @Test
  void namesEveryFieldThatIsWrong() {
    refused(Code.INVALID_ARGUMENT, "snapshot_id: is missing", () -> allocated(""));
    refused(Code.NOT_FOUND, "there is no snapshot", () -> allocated("none"));
    refused(Code.NOT_FOUND, "base_snapshot_id", () -> reported(delta().setBaseSnapshotId("none")));
    refused(Code.OUT_OF_RANGE, "starting_offset", () -> reported(delta().setStartingOffset(-1)));
    refused(
        Code.OUT_OF_RANGE,
        "starting_offset",
        () -> reported(delta().setStartingOffset(Driver.SIZE + 1)));
    refused(Code.INVALID_ARGUMENT, "max_results", () -> reported(delta().setMaxResults(-1)));
    String other = driver.taken("s-3", driver.created("pvc-2"));
    refused(
        Code.INVALID_ARGUMENT,
        "is one of volume pvc-2",
        () -> reported(delta().setBaseSnapshotId(other)));
  }
}
