package dev.holdfast.engine.sparse.internal.disk;

import java.nio.charset.StandardCharsets;

/** Effects of a disk's planted mutant on writes and syncs. */
final class SimulatedMutants {
  private final Mutant mutant;
  private boolean marksCleared;
  private boolean trimming;

  SimulatedMutants(Mutant mutant) {
    this.mutant = mutant;
  }

  void trimming(boolean value) {
    trimming = value;
  }

  boolean marksCleared() {
    return marksCleared;
  }

  void forget() {
    marksCleared = false;
  }

  /** Records a write. A write of marks ends the effect of cleared marks. */
  void marksWritten(String name) {
    if (mutant == Mutant.MARKS_CLEARED_EARLY || name.equals(StateFiles.INTENT)) {
      marksCleared = !name.equals(StateFiles.INTENT);
    }
  }

  /** Returns whether the planted mutant ignores a sync. */
  boolean ignoresSync(String name) {
    marksCleared |= mutant == Mutant.MARKS_CLEARED_ON_SYNC && name.endsWith(".img");
    return (mutant == Mutant.HIDDEN_CLEARED_UNSYNCED && trimming)
        || (mutant == Mutant.FLUSH_IGNORED && !name.equals(StateFiles.INTENT))
        || (mutant == Mutant.MARKS_NOT_SYNCED && name.equals(StateFiles.INTENT));
  }

  /** Returns whether the planted mutant ignores a write. */
  boolean ignoresWrite(String name) {
    return mutant == Mutant.MARKS_NOT_WRITTEN && name.equals(StateFiles.INTENT);
  }

  /** Returns a layer's metadata as that of a removed snapshot. */
  static byte[] removed(byte[] meta) {
    return new String(meta, StandardCharsets.UTF_8)
        .replace("\"Removed\":false", "\"Removed\":true")
        .getBytes(StandardCharsets.UTF_8);
  }
}
