package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import java.util.Optional;

/** Place of the conditions that a session has yet to report: its one connection, or all of them. */
interface UnitAttentionStore {

  /** Returns what is there. */
  PendingUnitAttentions get();

  /** Replaces it, if it still is what the caller has seen. */
  boolean replace(PendingUnitAttentions seen, PendingUnitAttentions next) throws CommandException;

  /** Of a session with one connection; on its thread. */
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

  /** Of a session with several: a text that they share. One object for each connection's thread. */
  final class Joint implements UnitAttentionStore {
    private final ExportState state;
    private final String name;
    private Optional<String> text = Optional.empty();
    private PendingUnitAttentions parsed;

    /**
     * Creates a place in a text, which may not be written yet.
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
