package dev.holdfast.engine.sparse.internal.disk;

import java.nio.ByteBuffer;
import java.util.Optional;

/** Notes the first change of a simulated disk that no engine may make. */
final class ForbiddenChanges {
  private Optional<String> first = Optional.empty();

  private void note(boolean forbidden, String what) {
    if (forbidden && first.isEmpty()) {
      first = Optional.of(what);
    }
  }

  /** A write brings this content. */
  void written(byte[] content) {
    boolean others =
        content.length >= Long.BYTES
            && ByteBuffer.wrap(content).getLong() == SimulatedDisk.OTHERS_BYTES;
    note(others, "another client's bytes were written");
  }

  /** A file is changed in place. */
  void changed(SimulatedFile file) {
    note(file.shared(), "a layer of another replica was changed");
  }

  /** A small file is replaced. */
  void stored(boolean lockedByOther) {
    note(lockedByOther, "an engine stored something while another one had the lock");
  }

  Optional<String> first() {
    return first;
  }
}
