package dev.holdfast.engine.lvm.blobs;

import java.util.Objects;

/**
 * A blob in the record of its pool.
 *
 * @param name of the blob
 * @param phase call that is being made
 * @param sizeBytes its size; while it is extended, the new one
 * @param source name of the blob that it is a copy of, empty for none
 */
record RecordedBlob(String name, Phase phase, long sizeBytes, String source) {
  /** Call that is being made; a record has its name in lower case. */
  enum Phase {
    CREATING,
    PRESENT,
    EXTENDING,
    DELETING
  }

  RecordedBlob {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(source, "source");
  }

  RecordedBlob in(Phase next) {
    return new RecordedBlob(name, next, sizeBytes, source);
  }

  RecordedBlob extended(long bytes) {
    return new RecordedBlob(name, Phase.EXTENDING, bytes, source);
  }

  /** Returns whether its bytes are there and can be attached. */
  boolean isUsable() {
    return phase == Phase.PRESENT || phase == Phase.EXTENDING;
  }
}
