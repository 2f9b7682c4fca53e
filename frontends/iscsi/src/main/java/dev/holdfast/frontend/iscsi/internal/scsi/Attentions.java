package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.reservation.ReservationNotice;
import dev.holdfast.reservation.Reservations;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What one session was not told yet of the logical unit (SAM-5, 5.14). */
final class Attentions {
  private static final int POWER_ON = 0x2900;
  private static final int CAPACITY_CHANGED = 0x2a09;
  private static final int MOST = 32;

  private final Volume volume;
  private final String nexus;
  private final Supplier<Reservations> reservations;
  private final Deque<Integer> pending = new ArrayDeque<>();
  private Optional<String> seen;
  private long told;
  private long noticed;
  private long size;
  private boolean announced;

  /** Begins for a session that is new to the logical unit. */
  Attentions(Volume volume, String nexus, Supplier<Reservations> reservations) {
    this.volume = volume;
    this.nexus = nexus;
    this.reservations = reservations;
    this.size = volume.device().size();
    this.noticed = reservations.get().lastNotice();
    this.seen = volume.state().text(SharedTexts.ATTENTIONS);
    this.told = seen.map(Attentions::last).orElse(0L);
    pending.add(POWER_ON);
  }

  /** Goes on with what another bundle left. */
  void resume(Map<String, String> fields) {
    pending.clear();
    for (String code : fields.getOrDefault("attentions", "").split(",", -1)) {
      if (!code.isEmpty()) {
        pending.add(Integer.parseInt(code));
      }
    }
    told = Long.parseLong(fields.getOrDefault("told", String.valueOf(told)));
    noticed = Long.parseLong(fields.getOrDefault("noticed", String.valueOf(noticed)));
    size = Long.parseLong(fields.getOrDefault("size", String.valueOf(size)));
    seen = Optional.empty();
  }

  /** What {@link #resume} needs. */
  Map<String, String> fields() {
    String codes = String.join(",", pending.stream().map(String::valueOf).toList());
    return Map.of(
        "attentions", codes,
        "told", String.valueOf(told),
        "noticed", String.valueOf(noticed),
        "size", String.valueOf(size));
  }

  /**
   * Returns a new size that a session has yet to hear of, for a message that nobody asked for; only
   * once. It is told all the same when the next command comes.
   */
  Optional<Sense> newSize() {
    gather();
    boolean news = pending.contains(CAPACITY_CHANGED) && !announced;
    announced |= news;
    return news ? Optional.of(Sense.attention(CAPACITY_CHANGED)) : Optional.empty();
  }

  /** Returns the next thing to tell, which is then told. */
  Optional<Sense> next() {
    gather();
    return Optional.ofNullable(pending.pollFirst()).map(Sense::attention);
  }

  private void gather() {
    long now = volume.device().size();
    if (now != size) {
      size = now;
      announced = false;
      add(CAPACITY_CHANGED);
    }
    Reservations current = reservations.get();
    if (current.lastNotice() > noticed) {
      for (ReservationNotice notice : current.noticesFor(nexus, noticed)) {
        add(code(notice));
      }
      noticed = current.lastNotice();
    }
    Optional<String> text = volume.state().text(SharedTexts.ATTENTIONS);
    if (!text.equals(seen)) {
      seen = text;
      text.ifPresent(this::gather);
    }
  }

  private void gather(String text) {
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ", 3);
      if (Long.parseLong(words[0]) > told && !words[2].equals(nexus)) {
        add(Integer.parseInt(words[1]));
      }
    }
    told = Math.max(told, last(text));
  }

  private void add(int code) {
    if (pending.size() < MOST && !pending.contains(code)) {
      pending.add(code);
    }
  }

  private static long last(String text) {
    return text.isEmpty() ? 0 : SharedTexts.number(text.substring(text.lastIndexOf('\n') + 1));
  }

  private static int code(ReservationNotice notice) {
    return switch (notice.kind()) {
      case RESERVATION_PREEMPTED -> 0x2a03;
      case RESERVATION_RELEASED -> 0x2a04;
      case REGISTRATION_PREEMPTED -> 0x2a05;
    };
  }
}
