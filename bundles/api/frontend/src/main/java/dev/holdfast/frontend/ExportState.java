package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Texts that belong to an export: what its connections share, whichever bundle serves them. They
 * live as long as the export is published; those that are written durably are there again when it
 * is published again, on this node or another. Text only, so that versions of a bundle can follow
 * each other. Thread-safe.
 *
 * @since 1.3
 */
@ProviderType
public interface ExportState {
  /**
   * Name of the text that says who may read and write. It is the same on all nodes that show a
   * volume at one time: it does not change until one of them shows it alone.
   *
   * @since 1.5
   */
  String RESERVATIONS = "reservations";

  /**
   * Returns a text; costs as little as reading a field, and the same object until it is replaced.
   *
   * @param name of the text, not null
   * @return the text, or empty when there is none
   */
  Optional<String> text(String name);

  /**
   * Replaces a text unless it changed since.
   *
   * @param name of the text, not null
   * @param expected what the caller has seen, not null
   * @param next not null; empty removes the text
   * @param durable whether it must be durable before this returns; this may then take as long as
   *     the cluster's store does. A write without it removes the durable text
   * @return false when the text is not what was expected, here or where it is durable; nothing has
   *     changed, and {@link #text} returns the present text
   * @throws StorageException BUSY when it must not change now, because the volume is shown on
   *     another node too: nothing has changed. Any other when it cannot be made durable: nothing
   *     has changed for readers, and it is unknown whether it is there after the next publication
   */
  boolean replace(String name, Optional<String> expected, Optional<String> next, boolean durable)
      throws StorageException;

  /**
   * Returns the lock for steps at the device that must not mix with those of other connections, for
   * example to compare and write; the same object for all of them, never null. It may be held while
   * the device works, by a thread that waits for it.
   */
  Lock lock();
}
