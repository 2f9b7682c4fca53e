package dev.holdfast.reservation;

import dev.holdfast.reservation.ReservationNotice.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Serializes reservations as text: one line each for the numbers, the holding, each registration
 * and each notice.
 */
public final class ReservationText {
  private static final String FORMAT = "reservations-1";

  private ReservationText() {}

  /** Returns the text, never null. */
  public static String write(Reservations value) {
    StringBuilder text = new StringBuilder(FORMAT);
    text.append(' ').append(value.generation()).append(' ').append(value.durable());
    text.append(' ').append(value.lastNotice()).append('\n');
    value
        .holding()
        .ifPresent(held -> text.append("held " + held.type() + ' ' + held.nexus() + '\n'));
    for (Registration present : value.registrations()) {
      text.append("key " + Long.toHexString(present.key()) + ' ' + present.nexus() + '\n');
    }
    for (ReservationNotice notice : value.notices()) {
      text.append("told " + notice.number() + ' ' + notice.kind() + ' ' + notice.nexus() + '\n');
    }
    return text.toString();
  }

  /**
   * Parses the output of {@link #write}.
   *
   * @throws IllegalArgumentException when the text has another form
   */
  public static Reservations read(String text) {
    String[] lines = text.split("\n", -1);
    String[] numbers = lines[0].split(" ", -1);
    if (numbers.length != 4 || !numbers[0].equals(FORMAT)) {
      throw new IllegalArgumentException("invalid text of reservations: " + lines[0]);
    }
    Optional<Holding> holding = Optional.empty();
    List<Registration> registrations = new ArrayList<>();
    List<ReservationNotice> notices = new ArrayList<>();
    for (int i = 1; i < lines.length - 1; i++) {
      String[] words = lines[i].split(" ", 3);
      switch (words[0]) {
        case "held" -> holding = Optional.of(new Holding(type(words[1]), words[2]));
        case "key" ->
            registrations.add(new Registration(words[2], Long.parseUnsignedLong(words[1], 16)));
        case "told" -> notices.add(notice(words[1], words[2].split(" ", 2)));
        default -> throw new IllegalArgumentException("no line of reservations: " + lines[i]);
      }
    }
    return new Reservations(
        Long.parseLong(numbers[1]),
        Boolean.parseBoolean(numbers[2]),
        registrations,
        holding,
        Long.parseLong(numbers[3]),
        notices);
  }

  private static ReservationType type(String name) {
    return ReservationType.valueOf(name);
  }

  private static ReservationNotice notice(String number, String[] rest) {
    return new ReservationNotice(Long.parseLong(number), rest[1], Kind.valueOf(rest[0]));
  }
}
