package dev.holdfast.backup.internal;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests of standby volumes with the packed layout. */
@Tag("slow")
class PackedStandbyVolumeTest extends StandbyVolumeTest {
  @Override
  boolean isPacked() {
    return true;
  }

  /** The decision does not depend on the layout, so this layout is tested in soak. */
  @Override
  @Test
  @Tag("soak")
  void snapshotThatIsDeletedAfterTheDecisionToRevertIsKeptUntilTheRevert() throws Exception {
    super.snapshotThatIsDeletedAfterTheDecisionToRevertIsKeptUntilTheRevert();
  }

  /** The removal is the engine's, so this layout is tested in soak. */
  @Override
  @Test
  @Tag("soak")
  void removalOfASnapshotThatTheClosingInterruptedIsCompletedAfterTheNextOpening()
      throws Exception {
    super.removalOfASnapshotThatTheClosingInterruptedIsCompletedAfterTheNextOpening();
  }
}
