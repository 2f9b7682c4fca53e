package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import java.util.Optional;

/** Where a session keeps what it has yet to tell: with its one connection, or with all of them. */
interface UntoldPlace {

  /** Returns what is there. */
  Untold get();

  /** Replaces it, if it still is what the caller has seen. */
  boolean replace(Untold seen, Untold next) throws CommandException;

  /** Of a session with one connection; on its thread. */
  final class Own implements UntoldPlace {
    private Untold now;

    Own(Untold first) {
      this.now = first;
    }

    @Override
    public Untold get() {
      return now;
    }

    @Override
    public boolean replace(Untold seen, Untold next) {
      now = next;
      return true;
    }
  }

  /** Of a session with several: a text that they share. One object for each connection's thread. */
  final class Joint implements UntoldPlace {
    private final ExportState state;
    private final String name;
    private Optional<String> text = Optional.empty();
    private Untold parsed;

    /**
     * A text that is there, unless nobody wrote it yet.
     *
     * @param first what holds until somebody writes
     */
    Joint(ExportState state, String nexus, Untold first) {
      this.state = state;
      this.name = "scsi-untold " + nexus;
      this.parsed = first;
    }

    @Override
    public Untold get() {
      Optional<String> now = state.text(name);
      if (now.isPresent() && !now.equals(text)) {
        parsed = Untold.parse(now.get());
      }
      text = now;
      return parsed;
    }

    @Override
    public boolean replace(Untold seen, Untold next) throws CommandException {
      try {
        return state.replace(name, text, Optional.of(next.text()), false);
      } catch (StorageException e) {
        throw CommandException.of(e, true);
      }
    }
  }
}
