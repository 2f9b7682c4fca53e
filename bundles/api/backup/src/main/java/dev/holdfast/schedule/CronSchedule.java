package dev.holdfast.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;

/**
 * The times at which a cron expression of five fields is due in a time zone. Immutable.
 *
 * <p>The fields are minute, hour, day of month, month and day of week, as the standard parser of
 * robfig/cron v3 reads them: lists, ranges, steps, names, {@code ?} for {@code *}, and descriptors
 * such as {@code @hourly}. If both day fields are restricted, a match of either field suffices. A
 * field with a step of 2 or more, such as {@code *}{@code /2}, is restricted.
 *
 * <p>Clock changes:
 *
 * <ul>
 *   <li>Skipped local times are due once, at the instant of the change. If the hour is {@code *},
 *       they are not due.
 *   <li>A local time that occurs twice is due at its first occurrence. If minute or hour is {@code
 *       *}, it is due at both.
 * </ul>
 */
public final class CronSchedule {
  /**
   * Limit of the search in years. The longest pause between two due times is eight years: 29
   * February around 2100.
   */
  private static final int LONGEST_PAUSE_YEARS = 9;

  private static final Duration RESOLUTION = Duration.ofSeconds(1);

  private final CronFields fields;
  private final ZoneRules rules;

  private CronSchedule(CronFields fields, ZoneRules rules) {
    this.fields = fields;
    this.rules = rules;
  }

  /**
   * Parses an expression.
   *
   * @param expression five fields or a descriptor, not null
   * @param zone of the fields, not null
   * @throws IllegalArgumentException with the position of the error and the remedy
   */
  public static CronSchedule parse(String expression, ZoneId zone) {
    CronFields fields = CronFields.of(CronParser.parse(expression));
    if (!fields.occurs()) {
      throw new IllegalArgumentException(
          "is never due, because these months do not have this day: change the third or the fourth"
              + " field");
    }
    return new CronSchedule(fields, zone.getRules());
  }

  /** Returns whether a name denotes a time zone of the IANA database. */
  public static boolean isZone(String name) {
    return ZoneId.getAvailableZoneIds().contains(name);
  }

  /**
   * Returns the first due time after an instant.
   *
   * @param after not null
   */
  public Instant next(Instant after) {
    LocalDateTime end =
        LocalDateTime.ofInstant(after, ZoneOffset.UTC).plusYears(LONGEST_PAUSE_YEARS);
    Instant from = after.plusNanos(1);
    while (true) {
      ZoneOffset offset = rules.getOffset(from);
      Optional<ZoneOffsetTransition> change =
          Optional.ofNullable(rules.nextTransition(from))
              .filter(found -> found.getDateTimeBefore().isBefore(end));
      LocalDateTime limit = change.map(ZoneOffsetTransition::getDateTimeBefore).orElse(end);
      Optional<LocalDateTime> found = fields.next(start(from, offset), limit);
      if (found.isPresent()) {
        return found.get().toInstant(offset);
      }
      from = change.map(ZoneOffsetTransition::getInstant).orElseThrow();
      if (leavesOutDueTime(change.get())) {
        return from;
      }
    }
  }

  /** Returns the local time at which the search begins. */
  private LocalDateTime start(Instant from, ZoneOffset offset) {
    LocalDateTime local = LocalDateTime.ofInstant(from, offset);
    ZoneOffsetTransition last = rules.previousTransition(from.plusNanos(1));
    boolean again =
        !fields.repeats()
            && last != null
            && last.isOverlap()
            && local.isBefore(last.getDateTimeBefore());
    return again ? last.getDateTimeBefore() : local;
  }

  private boolean leavesOutDueTime(ZoneOffsetTransition change) {
    return change.isGap()
        && !fields.hour().wildcard()
        && fields.next(change.getDateTimeBefore(), change.getDateTimeAfter()).isPresent();
  }

  /**
   * Returns the last due time of a period, which may contain any number of due times.
   *
   * @param after exclusive start of the period, not null
   * @param until inclusive end of the period, not null
   */
  public Optional<Instant> latest(Instant after, Instant until) {
    Instant found = next(after);
    if (found.isAfter(until)) {
      return Optional.empty();
    }
    Instant end = until;
    while (Duration.between(found, end).compareTo(RESOLUTION) > 0) {
      Instant middle = found.plus(Duration.between(found, end).dividedBy(2));
      Instant later = next(middle);
      if (later.isAfter(until)) {
        end = middle;
      } else {
        found = later;
      }
    }
    return Optional.of(found);
  }
}
