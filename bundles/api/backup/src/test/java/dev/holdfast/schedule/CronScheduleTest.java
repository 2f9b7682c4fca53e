package dev.holdfast.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases by hand, and the vectors of robfig/cron. */
class CronScheduleTest {
  private static List<String> times(String cron, String zone, String after, int count) {
    CronSchedule schedule = CronSchedule.parse(cron, ZoneId.of(zone));
    List<String> times = new ArrayList<>();
    Instant last = Instant.parse(after);
    for (int i = 0; i < count; i++) {
      last = schedule.next(last);
      times.add(last.toString());
    }
    return times;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          * * * * *       | 2026-11-28T12:00:00Z | 2026-11-28T12:01:00Z
          * * * * *       | 2026-11-28T12:00:59Z | 2026-11-28T12:01:00Z
          0 3 * * *       | 2026-11-28T03:00:00Z | 2026-11-29T03:00:00Z
          0 3 * * *       | 2026-11-28T02:59:59.999Z | 2026-11-28T03:00:00Z
          */20 9-17 * * mon-fri | 2026-11-27T17:40:00Z | 2026-11-30T09:00:00Z
          5/20 * * * *    | 2026-11-28T12:25:00Z | 2026-11-28T12:45:00Z
          0 0 1,15 * *    | 2026-11-28T12:00:00Z | 2026-12-01T00:00:00Z
          0 0 31 * *      | 2026-01-31T00:00:00Z | 2026-03-31T00:00:00Z
          0 0 29 2 *      | 2096-02-29T00:00:00Z | 2104-02-29T00:00:00Z
          0 0 13 * fri    | 2026-11-28T12:00:00Z | 2026-12-04T00:00:00Z
          0 0 */2 * mon   | 2026-11-29T00:00:00Z | 2026-11-30T00:00:00Z
          0 0 */1 * mon   | 2026-11-29T00:00:00Z | 2026-11-30T00:00:00Z
          0 0 ? * SUN     | 2026-11-28T12:00:00Z | 2026-11-29T00:00:00Z
          0 0 1 JAN *     | 2026-11-28T12:00:00Z | 2027-01-01T00:00:00Z
          @hourly         | 2026-11-28T12:00:00Z | 2026-11-28T13:00:00Z
          @weekly         | 2026-11-28T12:00:00Z | 2026-11-29T00:00:00Z
          """)
  void nextTimeIsTheFirstMatchingMinute(String cron, String after, String expected) {
    assertThat(times(cron, "UTC", after, 1)).containsExactly(expected);
  }

  @Test
  void timeThatIsLeftOutIsDueAtTheChange() {
    assertThat(times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
    assertThat(times("*/10 2 * * *", "Europe/Berlin", "2026-03-29T00:50:00Z", 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
    assertThat(times("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 1))
        .containsExactly("2026-10-03T15:30:00Z");
    assertThat(times("0 12 30 12 *", "Pacific/Apia", "2011-12-30T00:00:00Z", 2))
        .containsExactly("2011-12-30T10:00:00Z", "2012-12-29T22:00:00Z");
  }

  @Test
  void everyHourFollowsElapsedTime() {
    assertThat(times("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3))
        .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z");
    assertThat(times("30 * * * *", "Europe/Berlin", "2026-10-24T23:45:00Z", 3))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
  }

  @Test
  void timeThatExistsTwiceIsDueOnceUnlessAFieldIsAWildcard() {
    assertThat(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    assertThat(times("30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z", 1))
        .containsExactly("2026-10-26T01:30:00Z");
    assertThat(times("* 2 * * *", "Europe/Berlin", "2026-10-25T00:59:00Z", 2))
        .containsExactly("2026-10-25T01:00:00Z", "2026-10-25T01:01:00Z");
  }

  @Test
  void latestTimeOfAPeriodIsFoundAcrossManyMissedOnes() {
    CronSchedule every = CronSchedule.parse("* * * * *", ZoneId.of("UTC"));
    Instant end = Instant.parse("2026-11-28T12:00:30Z");
    assertThat(every.latest(Instant.EPOCH, end)).contains(Instant.parse("2026-11-28T12:00:00Z"));
    assertThat(every.latest(Instant.parse("2026-11-28T12:00:00Z"), end)).isEmpty();
    assertThat(every.latest(end, Instant.EPOCH)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          60 * * * *      | at character 1: minute '60': must be 0 to 59
          0 3 * * 7       | at character 9: day of week '7': must be 0 to 6, or sun to sat; Sunday is 0
          0 3 * foo *     | at character 7: month 'foo': must be 1 to 12, or jan to dec
          0 3 * *         | at character 8: day of week is missing: must have five fields: minute, hour, day of month, month, day of week
          0 3 * * * *     | at character 11: a sixth field: must have five fields
          0 17-9 * * *    | at character 3: hour '17-9': the range ends before it begins: write two ranges, separated by a comma
          0 1,,2 * * *    | at character 5: hour '': must be a value, a range as 1-5 or *, each with an optional step as */2
          0 */0 * * *     | at character 5: step '0' of hour: must be a number of at least 1
          0 *-5 * * *     | at character 3: hour '*-5': a range must begin with a value
          0 3 30 2 *      | is never due, because these months do not have this day: change the third or the fourth field
          @every 5m       | at character 1: @every 5m: use fields instead, for example */15 * * * * for every 15 minutes
          @noon           | at character 1: @noon: must be @yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly
          TZ=UTC 0 3 * * * | at character 1: a time zone: set timeZone instead
          """)
  void wrongExpressionIsRefusedWithPositionAndRemedy(String cron, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CronSchedule.parse(cron, ZoneId.of("UTC")))
        .withMessage(message.replace('\'', '"'));
  }

  @Test
  void longExpressionIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CronSchedule.parse("1,".repeat(200) + "1 * * * *", ZoneId.of("UTC")))
        .withMessage("must be at most 256 characters");
  }

  @Test
  void zonesAreThoseOfTheIanaDatabase() {
    assertThat(CronSchedule.isZone("Europe/Berlin")).isTrue();
    assertThat(CronSchedule.isZone("UTC")).isTrue();
    assertThat(CronSchedule.isZone("Mars/Base")).isFalse();
    assertThat(CronSchedule.isZone("+02:00")).isFalse();
    assertThat(CronSchedule.isZone("")).isFalse();
  }

  private static List<String> vectors() throws IOException {
    try (InputStream in = CronScheduleTest.class.getResourceAsStream("robfig-cron.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  /** The two differ by design where clocks change, so these are left to the other tests. */
  private static boolean changes(ZoneId zone, Instant from, Instant to) {
    ZoneOffsetTransition next = zone.getRules().nextTransition(from.minus(Duration.ofDays(1)));
    return next != null && next.getInstant().isBefore(to.plus(Duration.ofDays(1)));
  }

  private static int compared(String cron, String zone, String from, List<String> expected) {
    ZoneId where = ZoneId.of(zone);
    CronSchedule schedule;
    try {
      schedule = CronSchedule.parse(cron, where);
    } catch (IllegalArgumentException e) {
      assertThat(expected).as(cron).startsWith("-");
      return 1;
    }
    Instant last = Instant.parse(from);
    int compared = 0;
    for (String time : expected) {
      Instant wanted = Instant.parse(time);
      if (!changes(where, last, last.plus(Duration.ofDays(1)))
          && !changes(where, wanted, wanted.plusSeconds(1))) {
        assertThat(schedule.next(last)).as(cron + " " + zone + " " + last).isEqualTo(wanted);
        compared++;
      }
      last = wanted;
    }
    return compared;
  }

  @Test
  void timesAreThoseOfRobfigCron() throws Exception {
    int compared = 0;
    for (String line : vectors()) {
      String[] parts = line.split("\\|", -1);
      if (parts.length == 2) {
        assertThatIllegalArgumentException()
            .as(parts[0])
            .isThrownBy(() -> CronSchedule.parse(parts[0], ZoneId.of("UTC")));
      } else {
        compared += compared(parts[0], parts[1], parts[2], List.of(parts[3].split(",")));
      }
    }
    assertThat(compared).isGreaterThan(1200);
  }
}
