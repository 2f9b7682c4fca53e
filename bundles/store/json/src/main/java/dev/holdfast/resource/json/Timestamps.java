package dev.holdfast.resource.json;

import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.cluster.LeaseSpec;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * RFC 3339 as Kubernetes writes it: {@code Time} to the second, {@code MicroTime} in leases. Times
 * of managed fields have microseconds too, so that every write differs from the previous one.
 */
enum Timestamps {
  SECONDS(ChronoUnit.SECONDS, "uuuu-MM-dd'T'HH:mm:ss'Z'"),
  MICROS(ChronoUnit.MICROS, "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

  private final ChronoUnit precision;
  private final DateTimeFormatter format;

  Timestamps(ChronoUnit precision, String pattern) {
    this.precision = precision;
    this.format = DateTimeFormatter.ofPattern(pattern).withZone(ZoneOffset.UTC);
  }

  /** Returns the precision of a record's timestamps. */
  static Timestamps of(Class<?> owner) {
    return owner == LeaseSpec.class || owner == ManagedFields.class ? MICROS : SECONDS;
  }

  String write(Instant instant) {
    return format.format(instant);
  }

  /** Truncates to the written precision, so that a value equals its stored form. */
  Instant read(String text) {
    return OffsetDateTime.parse(text).toInstant().truncatedTo(precision);
  }
}
