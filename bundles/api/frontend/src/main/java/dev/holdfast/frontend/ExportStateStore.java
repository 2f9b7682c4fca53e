package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Store of the durable texts of one export's {@link ExportState}. The publisher of the export
 * implements it. Called by one thread at a time, and may block it, except for {@link #keeps}.
 *
 * @since 1.3
 */
@ConsumerType
public interface ExportStateStore {

  /**
   * Returns the last saved texts, never null.
   *
   * @throws StorageException when the texts cannot be read; the export must then not be published
   */
  Map<String, String> load() throws StorageException;

  /**
   * Replaces all texts; they are durable when this returns.
   *
   * @param texts all texts to keep, not null
   * @throws StorageException when durability is not confirmed
   */
  void save(Map<String, String> texts) throws StorageException;

  /**
   * Replaces one text if it still is the expected one, before this method returns.
   *
   * @param name of the text, not null
   * @param expected the text that was last loaded or written, empty for none; not null
   * @param next the new text, empty to remove it; not null
   * @param durable whether each later publication must find the text; the portal passes other texts
   *     only if {@link #keeps} returns true
   * @return false if the present text differs, because another node exports or exported the volume
   *     too; it is then unchanged, and {@link #load} returns the present texts
   * @throws StorageException BUSY when the text must not change while another node exports the
   *     volume too; it is then unchanged. Any other code when durability is not confirmed
   * @since 1.5
   */
  default boolean replace(
      String name, Optional<String> expected, Optional<String> next, boolean durable)
      throws StorageException {
    Map<String, String> all = new HashMap<>(load());
    if (!Optional.ofNullable(all.get(name)).equals(expected)) {
      return false;
    }
    next.ifPresentOrElse(text -> all.put(name, text), () -> all.remove(name));
    save(all);
    return true;
  }

  /**
   * Returns whether the store must keep a text that need not be durable, because another node may
   * export the volume before this export ends and must start with that text. Does not block, and
   * may be called during other calls.
   *
   * @param name of the text, not null
   * @since 1.5
   */
  default boolean keeps(String name) {
    return false;
  }
}
