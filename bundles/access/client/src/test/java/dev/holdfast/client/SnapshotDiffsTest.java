package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.ChangesPage;
import dev.holdfast.resource.snapshot.ChangesRequest;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SnapshotDiffsTest extends StoreTest {
  private final Clock clock = Clock.fixed(FakeControllers.THEN, ZoneOffset.UTC);
  private final List<ChangesRequest> asked = new ArrayList<>();

  @BeforeEach
  void makeAVolume() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    for (String name : List.of("a", "b")) {
      SnapshotSpec spec = SnapshotSpec.EMPTY.withVolume("demo").withSnapshotName(name);
      SnapshotStatus status =
          SnapshotStatus.EMPTY
              .withReadyToUse(true)
              .withCreationTime(Optional.of(FakeControllers.THEN));
      store.create(Snapshot.of(Snapshot.nameFor("demo", name), spec).withStatus(status));
    }
  }

  /** Answers as a node does, two pages of one range each. */
  private void answer(String line) {
    try {
      Snapshot snapshot = store.get(Snapshot.KIND, Snapshot.nameFor("demo", "b")).orElseThrow();
      ChangesRequest request = snapshot.spec().changes();
      asked.add(request);
      ChangedRange range = new ChangedRange(request.offset(), 4096);
      long next = request.offset() == 0 ? 40_960 : 0;
      String error = request.from().equals("b") ? "b is not an ancestor of b" : "";
      controllers.status(
          Snapshot.KIND,
          snapshot.name(),
          s ->
              s.withStatus(
                  s.status()
                      .withChanges(new ChangesPage(request.id(), List.of(range), next, error))));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private List<ChangedRange> diff(Optional<String> from, String to) throws Exception {
    return new SnapshotDiffs(store, clock)
        .diff("demo", from, to, new Waiting(PATIENT.timeout(), this::answer));
  }

  @Test
  void allPagesAreRequestedAndTheRequestIsRemoved() throws Exception {
    assertThat(diff(Optional.of("a"), "b"))
        .containsExactly(new ChangedRange(0, 4096), new ChangedRange(40_960, 4096));
    assertThat(asked).extracting(ChangesRequest::from).containsExactly("a", "a");
    assertThat(asked).extracting(ChangesRequest::offset).containsExactly(0L, 40_960L);
    assertThat(asked).extracting(ChangesRequest::id).doesNotHaveDuplicates().doesNotContain("");
    assertThat(
            store.get(Snapshot.KIND, Snapshot.nameFor("demo", "b")).orElseThrow().spec().changes())
        .isEqualTo(ChangesRequest.NONE);
  }

  @Test
  void requestWithoutANameReturnsAllocatedBlocks() throws Exception {
    assertThat(diff(Optional.empty(), "b")).hasSize(2);
    assertThat(asked).extracting(ChangesRequest::from).containsOnly("");
  }

  @Test
  void refusalIsReported() {
    assertFails(ErrorCode.INVALID, () -> diff(Optional.of("b"), "b"))
        .hasMessage("snapshot b of volume demo: b is not an ancestor of b");
    assertFails(ErrorCode.NOT_FOUND, () -> diff(Optional.of("none"), "b"));
  }
}
