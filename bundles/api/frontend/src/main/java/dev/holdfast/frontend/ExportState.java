package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Texts of an export that all its connections share, independent of the bundle that serves them.
 * Texts exist while the export is published. Durable texts are restored when the export is
 * published again, on this node or another. The state is text only, so that different versions of a
 * bundle can use it. Thread-safe.
 *
 * @since 1.3
 */
@ProviderType
public interface ExportState {
  /**
   * Name of the text with the reservations, which decide which hosts may read and write. The text
   * is equal on all nodes that export a volume at the same time, and changes only while a single
   * node exports it.
   *
   * @since 1.5
   */
  String RESERVATIONS = "reservations";

  /**
   * Returns a text; as cheap as a field read; returns the same object until the text is replaced.
   *
   * @param name of the text, not null
   * @return the text, or empty if it does not exist
   */
  Optional<String> text(String name);

  /**
   * Replaces a text if it still is the expected one.
   *
   * @param name of the text, not null
   * @param expected the text that the caller last read, not null
   * @param next the new text, empty to remove it; not null
   * @param durable whether the text must be durable before this method returns, which may then wait
   *     for the cluster's store; a write with false removes the durable text
   * @return false if the text is not the expected one, here or in the durable store; it is then
   *     unchanged, and {@link #text} returns the present text
   * @throws StorageException BUSY when the text must not change, because another node exports the
   *     volume too; the text is unchanged. Any other code when it cannot be made durable: readers
   *     see the old text, and the text after the next publication is unknown
   */
  boolean replace(String name, Optional<String> expected, Optional<String> next, boolean durable)
      throws StorageException;

  /**
   * Returns the lock for atomic sequences of device requests, for example compare and write; the
   * same object for all connections, never null. A thread may hold it while it waits for the
   * device.
   */
  Lock lock();
}
