package dev.holdfast.recurring.internal;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.backup.RecurringJob;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * The names of a run's objects: the same in every controller, so that each volume gets one object.
 */
final class RunNames {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmm", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final int HASH_BYTES = 4;

  private RunNames() {}

  /** Returns the name of a job's object for a volume: job, time in UTC and a hash of the volume. */
  static String of(RecurringJob job, Instant time, String volume) {
    return job.name() + "-" + TIME.format(time) + "-" + hash(volume);
  }

  /** Returns the name of the object that a job makes for the whole cluster: job and time in UTC. */
  static String of(RecurringJob job, Instant time) {
    return job.name() + "-" + TIME.format(time);
  }

  /** Returns the prefix of the request texts of all runs of a job. */
  static String requestPrefix(RecurringJob job) {
    return job.name() + "/";
  }

  /** Returns the request text of the current run of a job. */
  static String request(RecurringJob job) {
    return requestPrefix(job) + job.status().lastScheduledAt().orElse(Instant.EPOCH);
  }

  /** Returns the job of a request text; empty for any other text. */
  static Optional<String> jobOf(String request) {
    int end = request.indexOf('/');
    return end > 0 ? Optional.of(request.substring(0, end)) : Optional.empty();
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the number of the run that made an object; 0 if the object does not have it. */
  static long number(ObjectMeta made) {
    String number = made.annotations().getOrDefault(RecurringJob.RUN_ANNOTATION, "");
    return number.matches("[0-9]{1,18}") ? Long.parseLong(number) : 0;
  }

  /** Returns the time of the run that made an object; empty if the object does not have it. */
  static Optional<Instant> at(ObjectMeta made) {
    try {
      return Optional.of(Instant.parse(time(made)));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Returns the time of the run that made an object, as text. */
  static String time(ObjectMeta made) {
    return made.annotations().getOrDefault(RecurringJob.SCHEDULED_AT_ANNOTATION, "");
  }
}
