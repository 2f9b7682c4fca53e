package dev.holdfast.backup.internal;

import org.junit.jupiter.api.Tag;

/** The tests of standby volumes with the packed layout. */
@Tag("slow")
class PackedStandbyVolumeTest extends StandbyVolumeTest {
  @Override
  boolean isPacked() {
    return true;
  }
}
