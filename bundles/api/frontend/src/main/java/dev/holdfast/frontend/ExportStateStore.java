package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Store of the durable texts of one export's {@link ExportState}. The publisher of the export
 * implements it. Called by one thread at a time, which it may block, but for {@link #keeps}.
 *
 * @since 1.3
 */
@ConsumerType
public interface ExportStateStore {

  /**
   * Returns the texts that were saved last, never null.
   *
   * @throws StorageException when they cannot be read: then the export must not be shown
   */
  Map<String, String> load() throws StorageException;

  /**
   * Replaces all texts; they are durable when this returns.
   *
   * @param texts all that are to be kept, not null
   * @throws StorageException when it is not known to be durable
   */
  void save(Map<String, String> texts) throws StorageException;

  /**
   * Replaces one text if it is what the caller has seen of it; done when this returns.
   *
   * @param name of the text, not null
   * @param expected what was loaded or written last, empty for none; not null
   * @param next not null; empty removes the text
   * @param durable whether every later publication must find it; other texts arrive here only if
   *     {@link #keeps} returns true
   * @return false when another text is there, because the volume is, or was, shown elsewhere too;
   *     nothing has changed, and {@link #load} returns the present texts
   * @throws StorageException BUSY when it must not change while the volume is shown elsewhere too:
   *     nothing has changed; any other when it is not known to be durable
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
   * Returns whether a text is to be kept here although it need not be durable: the volume may be
   * shown elsewhere before this export ends, and has to begin with it there. Does not block, and is
   * called while other calls run, too.
   *
   * @param name of the text, not null
   * @since 1.5
   */
  default boolean keeps(String name) {
    return false;
  }
}
