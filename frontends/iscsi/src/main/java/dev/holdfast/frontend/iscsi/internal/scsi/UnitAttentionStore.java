package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import java.util.Optional;

/** Storage of a session's unit attentions: for its one connection, or shared by several. */
interface UnitAttentionStore {

  /** Returns the stored value. */
  PendingUnitAttentions get();

  /** Replaces the value if it is unchanged since the caller read it. */
  boolean replace(PendingUnitAttentions seen, PendingUnitAttentions next) throws CommandException;

  /** Storage of a session with one connection. Used by its thread. */
  final class Own implements UnitAttentionStore {
    private PendingUnitAttentions now;

    Own(PendingUnitAttentions first) {
      this.now = first;
    }

    @Override
    public PendingUnitAttentions get() {
      return now;
    }

    @Override
    public boolean replace(PendingUnitAttentions seen, PendingUnitAttentions next) {
      now = next;
      return true;
    }
  }

  /**
   * Storage of a session with several connections: a shared text. One object per connection's
   * thread.
   */
  final class Joint implements UnitAttentionStore {
    private final ExportState state;
    private final String name;
    private Optional<String> text = Optional.empty();
    private PendingUnitAttentions parsed;

    /**
     * Creates storage in a text, which may not exist yet.
     *
     * @param first the state until the first write
     */
    Joint(ExportState state, String nexus, PendingUnitAttentions first) {
      this.state = state;
      this.name = "scsi-untold " + nexus;
      this.parsed = first;
    }

    @Override
    public PendingUnitAttentions get() {
      Optional<String> now = state.text(name);
      if (now.isPresent() && !now.equals(text)) {
        parsed = PendingUnitAttentions.parse(now.get());
      }
      text = now;
      return parsed;
    }

    @Override
    public boolean replace(PendingUnitAttentions seen, PendingUnitAttentions next)
        throws CommandException {
      try {
        return state.replace(name, text, Optional.of(next.text()), false);
      } catch (StorageException e) {
        throw CommandException.of(e, true);
      }
    }
  }
}
