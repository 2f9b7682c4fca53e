package dev.holdfast.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random expressions are compared with a definition that looks at each minute. */
class CronRandomTest {
  private static final int MINUTES = 2000;
  private static final int[] LEAST = {0, 0, 1, 1, 0};
  private static final int[] MOST = {59, 23, 31, 12, 6};
  private static final String[] NAMES = {
    "", "", "", "jan feb mar apr may jun jul aug sep oct nov dec", "sun mon tue wed thu fri sat"
  };
  private static final List<String> ZONES =
      List.of(
          "UTC",
          "Europe/Berlin",
          "America/New_York",
          "Australia/Lord_Howe",
          "America/Sao_Paulo",
          "Africa/Casablanca",
          "Pacific/Apia",
          "Asia/Kathmandu",
          "Asia/Beirut",
          "America/St_Johns");

  private static String item(Random random, int field) {
    int first = LEAST[field] + random.nextInt(MOST[field] - LEAST[field] + 1);
    String[] names = NAMES[field].split(" ", -1);
    String text =
        switch (random.nextInt(6)) {
          case 0 -> "*";
          case 1 -> "?";
          case 2 -> first + "-" + (first + random.nextInt(MOST[field] - first + 1));
          case 3 -> names.length > 1 ? names[first - LEAST[field]] : String.valueOf(first);
          default -> String.valueOf(first);
        };
    return random.nextInt(4) == 0 ? text + "/" + (1 + random.nextInt(5)) : text;
  }

  private static String field(Random random, int field) {
    if (random.nextInt(3) == 0 || (field > 1 && random.nextInt(2) == 0)) {
      return "*";
    }
    List<String> items = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      items.add(item(random, field));
    }
    return String.join(",", items);
  }

  private static String expression(Random random) {
    List<String> fields = new ArrayList<>();
    for (int field = 0; field < LEAST.length; field++) {
      fields.add(field(random, field));
    }
    return String.join(" ", fields);
  }

  private static int number(int field, String text) {
    int name = List.of(NAMES[field].split(" ", -1)).indexOf(text);
    return name >= 0 && NAMES[field].length() > 0 ? LEAST[field] + name : Integer.parseInt(text);
  }

  private static boolean isStar(String item) {
    return item.matches("[*?](/1)?");
  }

  private static boolean isStarred(String field) {
    return List.of(field.split(",", -1)).stream().anyMatch(CronRandomTest::isStar);
  }

  private static boolean fits(int field, String text, int value) {
    for (String item : text.split(",", -1)) {
      String[] parts = item.split("/", -1);
      int step = parts.length > 1 ? Integer.parseInt(parts[1]) : 1;
      String[] ends = parts[0].split("-", -1);
      boolean all = parts[0].equals("*") || parts[0].equals("?");
      int first = all ? LEAST[field] : number(field, ends[0]);
      int last = all || (ends.length == 1 && parts.length > 1) ? MOST[field] : first;
      if (ends.length > 1) {
        last = number(field, ends[1]);
      }
      if (value >= first && value <= last && (value - first) % step == 0) {
        return true;
      }
    }
    return false;
  }

  /** An expression by its definition. */
  private record Slow(List<String> fields, ZoneRules rules) {
    boolean matches(LocalDateTime time) {
      boolean inMonth = fits(2, fields.get(2), time.getDayOfMonth());
      boolean inWeek = fits(4, fields.get(4), time.getDayOfWeek().getValue() % 7);
      boolean day =
          (isStarred(fields.get(2)) || isStarred(fields.get(4)))
              ? inMonth && inWeek
              : inMonth || inWeek;
      return day
          && fits(0, fields.get(0), time.getMinute())
          && fits(1, fields.get(1), time.getHour())
          && fits(3, fields.get(3), time.getMonthValue());
    }

    boolean isDue(Instant time) {
      ZoneOffset offset = rules.getOffset(time);
      LocalDateTime local = LocalDateTime.ofInstant(time, offset);
      List<ZoneOffset> offsets = rules.getValidOffsets(local);
      boolean second = offsets.size() > 1 && !offsets.get(0).equals(offset);
      boolean counts = !second || isStarred(fields.get(0)) || isStarred(fields.get(1));
      return (counts && matches(local)) || isMadeUp(time);
    }

    private boolean isMadeUp(Instant time) {
      ZoneOffsetTransition change = rules.nextTransition(time.minusNanos(1));
      if (change == null
          || !change.getInstant().equals(time)
          || !change.isGap()
          || isStarred(fields.get(1))) {
        return false;
      }
      LocalDateTime missing = change.getDateTimeBefore();
      while (missing.isBefore(change.getDateTimeAfter())) {
        if (matches(missing)) {
          return true;
        }
        missing = missing.plusMinutes(1);
      }
      return false;
    }
  }

  private static Instant start(Random random, ZoneRules rules) {
    Instant any =
        Instant.parse("2005-01-01T00:00:00Z").plusSeconds((long) (random.nextDouble() * 8e8));
    ZoneOffsetTransition change = rules.nextTransition(any);
    return change == null || random.nextInt(3) == 0
        ? any
        : change.getInstant().minus(Duration.ofMinutes(random.nextInt(MINUTES)));
  }

  private static void compare(Random random) {
    String cron = expression(random);
    ZoneId zone = ZoneId.of(ZONES.get(random.nextInt(ZONES.size())));
    CronSchedule schedule;
    try {
      schedule = CronSchedule.parse(cron, zone);
    } catch (IllegalArgumentException e) {
      assertThat(e).as(cron).hasMessageContaining("never due");
      return;
    }
    Slow slow = new Slow(List.of(cron.split(" ", -1)), zone.getRules());
    Instant after = start(random, zone.getRules());
    Instant end = after.plus(Duration.ofMinutes(MINUTES));
    List<Instant> expected = new ArrayList<>();
    Instant minute = Instant.ofEpochSecond(Math.floorDiv(after.getEpochSecond(), 60) * 60 + 60);
    for (; !minute.isAfter(end); minute = minute.plusSeconds(60)) {
      if (slow.isDue(minute)) {
        expected.add(minute);
      }
    }
    List<Instant> found = new ArrayList<>();
    for (Instant t = schedule.next(after); !t.isAfter(end); t = schedule.next(t)) {
      found.add(t);
    }
    String about = cron + " " + zone + " after " + after;
    assertThat(found).as(about).isEqualTo(expected);
    assertThat(schedule.latest(after, end).stream().toList())
        .as("latest of " + about)
        .isEqualTo(expected.subList(Math.max(0, expected.size() - 1), expected.size()));
  }

  private static void play(int count) {
    for (int seed = 1; seed <= count; seed++) {
      compare(new Random(seed));
    }
  }

  @Test
  void randomExpressionsAreDueByTheDefinition() {
    play(2000);
  }

  @Test
  @Tag("soak")
  void manyRandomExpressionsAreDueByTheDefinition() {
    play(100_000);
  }
}
