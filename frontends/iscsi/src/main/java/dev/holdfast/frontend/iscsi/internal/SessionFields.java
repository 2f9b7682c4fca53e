package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.SessionState;
import java.util.HashMap;
import java.util.Map;

/**
 * The names of what a parked session leaves, and the version of the set; the README lists them. A
 * new field needs the next version; a reader takes a default where an older writer had none.
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

  /** The oldest reader that can resume what this version writes. */
  private static final int READABLE_BY = 1;

  private SessionFields() {}

  static SessionState state(Map<String, String> fields, boolean ended) {
    Map<String, String> all = new HashMap<>(fields);
    boolean over = ended || Boolean.parseBoolean(fields.get(ENDED));
    all.put(OVER, String.valueOf(over));
    // Version 1 supports only sessions of one connection: there the initiator has to log in again.
    boolean joint = fields.containsKey(TERMS) || fields.containsKey(JOINS);
    all.put(ENDED, String.valueOf(over || joint));
    return new SessionState(FORMAT, VERSION, READABLE_BY, all);
  }

  /** Returns whether the session has asked for the connection's end. */
  static boolean ended(SessionState state) {
    return state.text(OVER).map(Boolean::parseBoolean).orElse(state.flag(ENDED));
  }
}
