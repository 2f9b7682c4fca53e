package dev.holdfast.itests.powercut;

import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** Follows a machine's report and decides when its power is cut. */
final class Cut {
  private static final int MOST_ACKNOWLEDGEMENTS = 1500;
  private static final long SWEPT_NANOS = Duration.ofSeconds(40).toNanos();

  private final Moment moment;
  private final Random random;
  private final Set<String> barriers = new HashSet<>();
  private int countdown;
  private long openedAt;

  Cut(Moment moment, Random random) {
    this.moment = moment;
    this.random = random;
    this.countdown = 1 + random.nextInt(MOST_ACKNOWLEDGEMENTS);
  }

  /** Takes the next line; returns whether it was the one to wait for. */
  boolean due(String line) {
    String[] words = line.split(" ");
    boolean answer = words[0].equals(Report.ACKNOWLEDGED);
    if (words[0].equals(Report.OPENED)) {
      openedAt = System.nanoTime();
    }
    if (words.length == Request.WORDS && Request.parse(words).barrier()) {
      barriers.add(words[1]);
    }
    countdown -= answer ? 1 : 0;
    return switch (moment) {
      case OPENING -> words[0].equals(Report.OPENING);
      case CLOSED -> words[0].equals(Report.CLOSED);
      case WRITING -> answer && countdown <= 0;
      case BARRIER -> answer && countdown <= 0 && barriers.contains(words[1]);
      case SWEPT -> answer && System.nanoTime() - openedAt > SWEPT_NANOS;
    };
  }

  /** Returns how long after that line. */
  long delayNanos() {
    Duration longest =
        switch (moment) {
          case BARRIER, CLOSED -> Duration.ofNanos(100_000);
          case WRITING, SWEPT -> Duration.ofMillis(20);
          case OPENING -> Duration.ofMillis(400);
        };
    return random.nextInt((int) longest.toNanos());
  }
}
