package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.reservation.ReservationNotice;
import dev.holdfast.reservation.Reservations;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Unit attention conditions that one session must still report (SAM-5, 5.14). */
final class UnitAttentions {
  private static final int POWER_ON = 0x2900;
  private static final int CAPACITY_CHANGED = 0x2a09;

  private final Volume volume;
  private final String nexus;
  private final Supplier<Reservations> reservations;
  private final boolean joint;
  private UnitAttentionStore place;
  private Optional<String> seen = Optional.empty();
  private long lastSeen;

  /**
   * Creates the conditions of a new session.
   *
   * @param joint whether the session has several connections, one of which reports each condition
   */
  UnitAttentions(Volume volume, String nexus, Supplier<Reservations> reservations, boolean joint) {
    this.volume = volume;
    this.nexus = nexus;
    this.reservations = reservations;
    this.joint = joint;
    this.place =
        joint
            ? new UnitAttentionStore.Joint(volume.state(), nexus, first())
            : new UnitAttentionStore.Own(first());
  }

  private PendingUnitAttentions first() {
    return new PendingUnitAttentions(
        List.of(POWER_ON),
        volume.state().text(SharedTexts.ATTENTIONS).map(UnitAttentions::last).orElse(0L),
        reservations.get().lastNotice(),
        volume.device().size(),
        false);
  }

  /** Removes the conditions of an earlier session of this name. */
  void begin() throws CommandException {
    PendingUnitAttentions before;
    do {
      before = place.get();
    } while (!place.replace(before, first()));
  }

  /** Resumes the state of another bundle. */
  void resume(Map<String, String> fields) {
    if (!joint) {
      place = new UnitAttentionStore.Own(PendingUnitAttentions.of(fields, place.get()));
    }
  }

  /** State for {@link #resume}. */
  Map<String, String> fields() {
    return joint ? Map.of() : place.get().fields();
  }

  /**
   * Returns a new size for an unsolicited message, once. The next command reports it nevertheless.
   */
  Optional<Sense> newSize() throws CommandException {
    PendingUnitAttentions before;
    PendingUnitAttentions now;
    boolean news;
    do {
      before = place.get();
      now = gather(before);
      news = now.pending().contains(CAPACITY_CHANGED) && !now.announced();
      now = news ? now.asAnnounced() : now;
    } while (changed(before, now) && !place.replace(before, now));
    return news ? Optional.of(Sense.attention(CAPACITY_CHANGED)) : Optional.empty();
  }

  /** Removes and returns the next code to report. */
  Optional<Sense> next() throws CommandException {
    PendingUnitAttentions before;
    PendingUnitAttentions now;
    do {
      before = place.get();
      now = gather(before);
    } while (changed(before, now.withoutFirst()) && !place.replace(before, now.withoutFirst()));
    return now.pending().stream().findFirst().map(Sense::attention);
  }

  @SuppressWarnings("ReferenceEquality") // An unchanged value is the same object.
  private static boolean changed(PendingUnitAttentions before, PendingUnitAttentions now) {
    return before != now;
  }

  private PendingUnitAttentions gather(PendingUnitAttentions before) {
    PendingUnitAttentions now = before;
    long size = volume.device().size();
    if (size != now.size()) {
      now = now.withSize(size).with(CAPACITY_CHANGED);
    }
    Reservations current = reservations.get();
    if (current.lastNotice() > now.noticed()) {
      for (ReservationNotice notice : current.noticesFor(nexus, now.noticed())) {
        now = now.with(code(notice));
      }
      now = now.withNoticed(current.lastNotice());
    }
    Optional<String> text = volume.state().text(SharedTexts.ATTENTIONS);
    if (!text.equals(seen)) {
      seen = text;
      lastSeen = text.map(UnitAttentions::last).orElse(0L);
    }
    return lastSeen > now.seen() ? gather(now, text.orElse("")) : now;
  }

  private PendingUnitAttentions gather(PendingUnitAttentions before, String text) {
    PendingUnitAttentions now = before;
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ", 3);
      if (Long.parseLong(words[0]) > before.seen() && !words[2].equals(nexus)) {
        now = now.with(Integer.parseInt(words[1]));
      }
    }
    return now.withSeen(lastSeen);
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
