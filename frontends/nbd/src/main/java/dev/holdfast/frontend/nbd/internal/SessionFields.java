package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.SessionState;
import java.util.Locale;
import java.util.Map;

/**
 * Names of the fields that a parked session leaves, and the version of the set; the README lists
 * them. A new field needs the next version. A reader uses a default for a field that an older
 * writer lacked.
 */
final class SessionFields {
  static final String FORMAT = "nbd";
  static final int VERSION = 1;

  static final String PHASE = "phase";
  static final String STYLE = "style";
  static final String ENDED = "ended";
  static final String FLAGS_RECEIVED = "flags-received";
  static final String NO_ZEROES = "no-zeroes";
  static final String ALLOCATION_OF = "allocation-of";
  static final String ALLOCATION = "allocation";
  static final String SKIP = "skip";

  static final String HANDSHAKE = "handshake";
  static final String TRANSMISSION = "transmission";

  /** Version of the oldest reader that can resume the state of this version. */
  private static final int READABLE_BY = 1;

  private SessionFields() {}

  static SessionState state(Map<String, String> fields) {
    return new SessionState(FORMAT, VERSION, READABLE_BY, fields);
  }

  static String name(ReplyStyle style) {
    return style.name().toLowerCase(Locale.ROOT);
  }

  static ReplyStyle style(SessionState state) throws StorageException {
    String name = state.text(STYLE).orElse("");
    for (ReplyStyle style : ReplyStyle.values()) {
      if (name(style).equals(name)) {
        return style;
      }
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "the session's replies are '" + name + "', which is not known here");
  }
}
