package dev.holdfast.frontend.iscsi.internal.scsi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Unit attention conditions of a session: those pending and those already reported.
 *
 * @param pending codes to report, in order; not null; copied
 * @param seen number of the last line read from the shared text
 * @param noticed number of the last notice of reservations read
 * @param size size of the volume in bytes
 * @param announced whether a new size was reported unsolicited
 */
record PendingUnitAttentions(
    List<Integer> pending, long seen, long noticed, long size, boolean announced) {
  private static final int MOST = 32;
  private static final int FIELDS = 5;

  PendingUnitAttentions {
    pending = List.copyOf(pending);
  }

  /** Adds a code, unless it is already pending. */
  PendingUnitAttentions with(int code) {
    if (pending.size() >= MOST || pending.contains(code)) {
      return this;
    }
    List<Integer> more = new ArrayList<>(pending);
    more.add(code);
    return new PendingUnitAttentions(more, seen, noticed, size, announced);
  }

  /** Removes the first code after its report. */
  PendingUnitAttentions withoutFirst() {
    return pending.isEmpty()
        ? this
        : new PendingUnitAttentions(
            pending.subList(1, pending.size()), seen, noticed, size, announced);
  }

  PendingUnitAttentions withSeen(long last) {
    return new PendingUnitAttentions(pending, last, noticed, size, announced);
  }

  PendingUnitAttentions withNoticed(long last) {
    return new PendingUnitAttentions(pending, seen, last, size, announced);
  }

  PendingUnitAttentions withSize(long now) {
    return new PendingUnitAttentions(pending, seen, noticed, now, false);
  }

  PendingUnitAttentions asAnnounced() {
    return new PendingUnitAttentions(pending, seen, noticed, size, true);
  }

  /** Returns the fields of a parked session, for {@link #of(Map, PendingUnitAttentions)}. */
  Map<String, String> fields() {
    return Map.of(
        "attentions", codes(),
        "told", String.valueOf(seen),
        "noticed", String.valueOf(noticed),
        "size", String.valueOf(size));
  }

  /** Reads the fields of a parked session; missing ones are taken from another value. */
  static PendingUnitAttentions of(Map<String, String> fields, PendingUnitAttentions otherwise) {
    return new PendingUnitAttentions(
        codes(fields.getOrDefault("attentions", "")),
        number(fields, "told", otherwise.seen),
        number(fields, "noticed", otherwise.noticed),
        number(fields, "size", otherwise.size),
        false);
  }

  private static long number(Map<String, String> fields, String name, long otherwise) {
    String value = fields.get(name);
    return value == null ? otherwise : Long.parseLong(value);
  }

  /** Returns one text, for {@link #parse}. */
  String text() {
    return String.join(
        " ",
        String.valueOf(seen),
        String.valueOf(noticed),
        String.valueOf(size),
        String.valueOf(announced),
        "," + codes());
  }

  static PendingUnitAttentions parse(String text) {
    String[] words = text.split(" ", FIELDS);
    return new PendingUnitAttentions(
        codes(words[4]),
        Long.parseLong(words[0]),
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Boolean.parseBoolean(words[3]));
  }

  private String codes() {
    return String.join(",", pending.stream().map(String::valueOf).toList());
  }

  private static List<Integer> codes(String text) {
    return Arrays.stream(text.split(",", -1))
        .filter(code -> !code.isEmpty())
        .map(Integer::valueOf)
        .toList();
  }
}
