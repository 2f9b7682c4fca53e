package dev.holdfast.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * A cron expression without a time zone: a set of local times.
 *
 * @param minute minutes of the hour
 * @param hour hours of the day
 * @param dayOfMonth days of the month
 * @param month months of the year
 * @param dayOfWeek days of the week; Sunday is 0
 */
record CronFields(
    CronField minute, CronField hour, CronField dayOfMonth, CronField month, CronField dayOfWeek) {
  private static final int LEAP_YEAR = 2024;
  private static final int DAYS_OF_WEEK = 7;

  static CronFields of(List<CronField> fields) {
    return new CronFields(
        fields.get(0), fields.get(1), fields.get(2), fields.get(3), fields.get(4));
  }

  /** Returns whether at least one date matches. */
  boolean occurs() {
    if (!dayOfWeek.wildcard()) {
      return true;
    }
    for (int candidate = month.from(1); candidate > 0; candidate = month.from(candidate + 1)) {
      int day = dayOfMonth.from(1);
      if (day > 0 && day <= YearMonth.of(LEAP_YEAR, candidate).lengthOfMonth()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a local time that occurs twice at a clock change is due twice. */
  boolean repeats() {
    return minute.wildcard() || hour.wildcard();
  }

  /**
   * Returns the first matching time at or after {@code from}.
   *
   * @param before exclusive end of the search
   */
  Optional<LocalDateTime> next(LocalDateTime from, LocalDateTime before) {
    LocalDateTime start = ceiling(from);
    LocalDate date = start.toLocalDate();
    while (date.atStartOfDay().isBefore(before)) {
      if (!month.has(date.getMonthValue())) {
        date = date.withDayOfMonth(1).plusMonths(1);
        continue;
      }
      if (hasDay(date)) {
        LocalTime least = date.equals(start.toLocalDate()) ? start.toLocalTime() : LocalTime.MIN;
        Optional<LocalDateTime> found = timeFrom(least).map(date::atTime);
        if (found.isPresent()) {
          return found.filter(time -> time.isBefore(before));
        }
      }
      date = date.plusDays(1);
    }
    return Optional.empty();
  }

  private static LocalDateTime ceiling(LocalDateTime time) {
    LocalDateTime minute = time.truncatedTo(ChronoUnit.MINUTES);
    return minute.isBefore(time) ? minute.plusMinutes(1) : minute;
  }

  private boolean hasDay(LocalDate date) {
    boolean inMonth = dayOfMonth.has(date.getDayOfMonth());
    boolean inWeek = dayOfWeek.has(date.getDayOfWeek().getValue() % DAYS_OF_WEEK);
    return (dayOfMonth.wildcard() || dayOfWeek.wildcard()) ? inMonth && inWeek : inMonth || inWeek;
  }

  private Optional<LocalTime> timeFrom(LocalTime least) {
    if (hour.has(least.getHour())) {
      int found = minute.from(least.getMinute());
      if (found >= 0) {
        return Optional.of(LocalTime.of(least.getHour(), found));
      }
    }
    int later = hour.from(least.getHour() + 1);
    return later < 0 ? Optional.empty() : Optional.of(LocalTime.of(later, minute.from(0)));
  }
}
