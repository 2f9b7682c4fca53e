package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The texts that all sessions of a volume share. */
final class SharedTexts {
  /** Persistent reservations, shared with NVMe. */
  static final String RESERVATIONS = ExportState.RESERVATIONS;

  /** Holder of a RESERVE, which ends with the connection. */
  static final String RESERVED = "scsi-reserved";

  /** Settings that MODE SELECT changes. */
  static final String MODE = "scsi-mode";

  /** Unit attention conditions for sessions. */
  static final String ATTENTIONS = "scsi-attentions";

  /** Value for an omitted session. */
  static final String NOBODY = "-";

  private static final int ATTENTIONS_KEPT = 64;

  private SharedTexts() {}

  /**
   * Records a unit attention for all sessions but one: a line with number, code and the sessions
   * that need no report.
   */
  static void tell(ExportState state, int code, String except) throws CommandException {
    change(
        state,
        ATTENTIONS,
        text -> {
          List<String> lines = new ArrayList<>(text.lines().toList());
          long last = lines.isEmpty() ? 0 : number(lines.get(lines.size() - 1));
          lines.add(last + 1 + " " + code + " " + except);
          return String.join(
              "\n", lines.subList(Math.max(0, lines.size() - ATTENTIONS_KEPT), lines.size()));
        });
  }

  static long number(String line) {
    return Long.parseLong(line.substring(0, line.indexOf(' ')));
  }

  /** Changes a text; repeats the change after concurrent changes. */
  static void change(ExportState state, String name, UnaryOperator<String> change)
      throws CommandException {
    try {
      Optional<String> seen;
      do {
        seen = state.text(name);
      } while (!state.replace(name, seen, Optional.of(change.apply(seen.orElse(""))), false));
    } catch (StorageException e) {
      throw CommandException.of(e, true);
    }
  }
}
