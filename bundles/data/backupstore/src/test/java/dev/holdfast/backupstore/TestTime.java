package dev.holdfast.backupstore;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Time that passes only when a test or the protocol of locks advances it. */
public final class TestTime extends Clock implements LockTiming {
  private Instant now = Instant.parse("2026-11-20T12:00:00Z");

  @Override
  public synchronized Instant instant() {
    return now;
  }

  @Override
  public long nanoTime() {
    return instant().toEpochMilli() * 1_000_000;
  }

  @Override
  public synchronized void pause(Duration time) {
    now = now.plus(time);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
