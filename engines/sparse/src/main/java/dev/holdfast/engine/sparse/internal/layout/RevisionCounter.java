package dev.holdfast.engine.sparse.internal.layout;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Longhorn's revision.counter, a number as text in a file of 4 KiB. Longhorn takes the replica with
 * the highest number for the latest one, so a replica that was written here must raise its number.
 * A replica without the file does not get one.
 */
final class RevisionCounter {
  static final String FILE = "revision.counter";
  private static final int LENGTH = 4096;

  private RevisionCounter() {}

  /** Raises the number durably; does nothing without the file. */
  static void raise(ReplicaDirectory directory) throws IOException {
    Optional<byte[]> content = directory.load(FILE);
    if (content.isPresent()) {
      String text = new String(content.get(), StandardCharsets.US_ASCII).trim();
      try {
        byte[] next = Long.toString(Long.parseLong(text) + 1).getBytes(StandardCharsets.US_ASCII);
        directory.store(FILE, Arrays.copyOf(next, LENGTH));
      } catch (NumberFormatException e) {
        throw new IOException(
            directory.path() + "/" + FILE + " does not contain a number: " + text, e);
      }
    }
  }
}
