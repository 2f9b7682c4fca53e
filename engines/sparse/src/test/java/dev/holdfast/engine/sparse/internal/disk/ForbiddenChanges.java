package dev.holdfast.engine.sparse.internal.disk;

import java.nio.ByteBuffer;
import java.util.Optional;

/** Records the first forbidden change of a simulated disk. */
final class ForbiddenChanges {
  private Optional<String> first = Optional.empty();

  private void note(boolean forbidden, String what) {
    if (forbidden && first.isEmpty()) {
      first = Optional.of(what);
    }
  }

  /** Checks the content of a write. */
  void written(byte[] content) {
    boolean others =
        content.length >= Long.BYTES
            && ByteBuffer.wrap(content).getLong() == SimulatedDisk.OTHERS_BYTES;
    note(others, "another client's bytes were written");
  }

  /** Checks a change of a file in place. */
  void changed(SimulatedFile file) {
    note(file.shared(), "a layer of another replica was changed");
  }

  /** Checks the replacement of a small file. */
  void stored(boolean lockedByOther) {
    note(lockedByOther, "an engine stored something while another one had the lock");
  }

  Optional<String> first() {
    return first;
  }
}
