package dev.holdfast.snapshot.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class SnapshotStepTest {
  private static final long SIZE = 1 << 20;
  private static final SnapshotInfo LISTED =
      new SnapshotInfo(
          "s", "", List.of("volume-head"), false, true, Instant.EPOCH, Map.of(), 4096, "");
  private static final SnapshotInfo MARKED =
      new SnapshotInfo(
          "s", "", List.of("volume-head"), true, true, Instant.EPOCH, Map.of(), 4096, "");
  private static final Snapshot NEW = Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v"));
  private static final Snapshot ASKED = meta(NEW, m -> m.plusFinalizer(Snapshot.FINALIZER));
  private static final Snapshot TAKEN = ASKED.withStatus(of(ASKED, LISTED));
  private static final Snapshot DESCRIBING = NEW.withSpec(NEW.spec().withCreateSnapshot(false));

  private static Snapshot meta(Snapshot snapshot, UnaryOperator<ObjectMeta> change) {
    return snapshot.withMetadata(change.apply(snapshot.metadata()));
  }

  private static Snapshot deleted(Snapshot snapshot) {
    return meta(snapshot, m -> m.withDeletionTimestamp(Optional.of(Instant.EPOCH)));
  }

  private static SnapshotStatus of(Snapshot snapshot, SnapshotInfo listed) {
    return SnapshotStatuses.of(snapshot.status(), listed, SIZE);
  }

  private static Snapshot reverting(Snapshot snapshot, String done) {
    return snapshot
        .withSpec(snapshot.spec().withRevertRequest("one"))
        .withStatus(
            snapshot
                .status()
                .withRevert(new RequestOutcome(done, Optional.of(Instant.EPOCH), "", "")));
  }

  private static DynamicTest row(
      String name, Snapshot snapshot, Optional<SnapshotInfo> listed, SnapshotStep expected) {
    return DynamicTest.dynamicTest(
        name, () -> assertThat(SnapshotStep.next(snapshot, listed, SIZE)).isEqualTo(expected));
  }

  @TestFactory
  Stream<DynamicTest> wantedOnes() {
    Optional<SnapshotInfo> none = Optional.empty();
    Optional<SnapshotInfo> there = Optional.of(LISTED);
    Snapshot failed = ASKED.withStatus(SnapshotStatuses.failed(ASKED.status(), "no"));
    return Stream.of(
        row("a new one is claimed before the engine is asked", NEW, none, SnapshotStep.REQUEST),
        row("a claimed one is taken", ASKED, none, SnapshotStep.TAKE),
        row("one that is there is not taken again", ASKED, there, SnapshotStep.RECORD),
        row("one that was there before is claimed", NEW, there, SnapshotStep.REQUEST),
        row("one that is recorded rests", TAKEN, there, SnapshotStep.NOTHING),
        row("one that vanished is lost", TAKEN, none, SnapshotStep.LOSE),
        row(
            "one that was given up is not lost",
            ASKED.withStatus(of(ASKED, MARKED)),
            none,
            SnapshotStep.DISCARD),
        row("one that only describes takes nothing", DESCRIBING, none, SnapshotStep.REFUSE),
        row("one that failed is not tried again", failed, none, SnapshotStep.NOTHING),
        row("one that failed and is there is good", failed, there, SnapshotStep.RECORD),
        row("a revert is carried out", reverting(TAKEN, ""), there, SnapshotStep.REVERT),
        row("a revert is carried out once", reverting(TAKEN, "one"), there, SnapshotStep.NOTHING),
        row("another request is another revert", reverting(TAKEN, "0"), there, SnapshotStep.REVERT),
        row(
            "a comparison is carried out",
            TAKEN.withSpec(TAKEN.spec().withScrubRequest("one")),
            there,
            SnapshotStep.SCRUB));
  }

  @TestFactory
  Stream<DynamicTest> leavingOnes() {
    Optional<SnapshotInfo> none = Optional.empty();
    Optional<SnapshotInfo> there = Optional.of(LISTED);
    Snapshot marked = deleted(ASKED.withStatus(of(ASKED, MARKED)));
    return Stream.of(
        row("one never asked for is left alone", deleted(NEW), none, SnapshotStep.NOTHING),
        row("one that may be there is removed", deleted(ASKED), there, SnapshotStep.REMOVE),
        row("one that is gone is released", deleted(TAKEN), none, SnapshotStep.RELEASE),
        row("a lost one is released", deleted(TAKEN), none, SnapshotStep.RELEASE),
        row(
            "one that is marked is said to be",
            deleted(TAKEN),
            Optional.of(MARKED),
            SnapshotStep.RECORD),
        row("one that is marked waits", marked, Optional.of(MARKED), SnapshotStep.NOTHING),
        row(
            "one that is deleted is not reverted to",
            deleted(reverting(TAKEN, "")),
            there,
            SnapshotStep.REMOVE));
  }
}
