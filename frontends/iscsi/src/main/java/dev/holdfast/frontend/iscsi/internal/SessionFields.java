package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.SessionState;
import java.util.HashMap;
import java.util.Map;

/**
 * Names of the fields that a parked session leaves, and the version of the set; the README lists
 * them. A new field needs the next version. A reader uses a default for a field that an older
 * writer lacked.
 */
final class SessionFields {
  static final String FORMAT = "iscsi";
  static final int VERSION = 2;

  static final String PHASE = "phase";
  static final String LOGIN = "login";
  static final String FULL = "full";
  static final String ENDED = "ended";
  static final String OVER = "over";
  static final String STAT_SN = "stat-sn";
  static final String CMD_SN = "cmd-sn";
  static final String ISID = "isid";
  static final String CID = "cid";
  static final String TERMS = "terms";
  static final String JOINS = "joins";
  static final String TSIH = "tsih";
  static final String TEXT = "text";
  static final String INITIATOR = "initiator";
  static final String TARGET = "target";
  static final String TOKEN = "token";
  static final String DISCOVERY = "discovery";
  static final String AGREED = "agreed-";
  static final String TASK = "task-";
  static final String REST = "rest";

  /** Version of the oldest reader that can resume the state of this version. */
  private static final int READABLE_BY = 1;

  private SessionFields() {}

  static SessionState state(Map<String, String> fields, boolean ended) {
    Map<String, String> all = new HashMap<>(fields);
    boolean over = ended || Boolean.parseBoolean(fields.get(ENDED));
    all.put(OVER, String.valueOf(over));
    // Version 1 supports only sessions of one connection: after a downgrade the initiator must log
    // in again.
    boolean joint = fields.containsKey(TERMS) || fields.containsKey(JOINS);
    all.put(ENDED, String.valueOf(over || joint));
    return new SessionState(FORMAT, VERSION, READABLE_BY, all);
  }

  /** Returns whether the session has requested the end of the connection. */
  static boolean ended(SessionState state) {
    return state.text(OVER).map(Boolean::parseBoolean).orElse(state.flag(ENDED));
  }
}
