package dev.holdfast.backup.internal;

import org.junit.jupiter.api.Tag;

/** The tests of exports with the packed layout. */
@Tag("slow")
class PackedBackupExportTest extends BackupExportTest {
  @Override
  boolean isPacked() {
    return true;
  }
}
