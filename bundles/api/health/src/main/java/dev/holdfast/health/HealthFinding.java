package dev.holdfast.health;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One thing that is wrong. An immutable value.
 *
 * @param code for programs, for example {@code VOLUME_DEGRADED}, not null
 * @param severity how soon it needs an administrator, not null
 * @param objects that are concerned, as {@code kind/name}, for example {@code volume/films}; not
 *     null
 * @param since when it began; empty when that is not known; not null
 * @param sentence what is wrong, for a person, without line breaks; not null
 * @param remedy what to do, with a command where one exists, without line breaks; not null
 */
public record HealthFinding(
    String code,
    HealthSeverity severity,
    List<String> objects,
    Optional<Instant> since,
    String sentence,
    String remedy) {
  private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9]*(_[A-Z0-9]+)*");

  /**
   * Checks the code, and that no text is empty.
   *
   * @throws IllegalArgumentException names the field and the value
   */
  public HealthFinding {
    Objects.requireNonNull(severity, "severity");
    Objects.requireNonNull(since, "since");
    objects = List.copyOf(objects);
    if (!CODE.matcher(code).matches()) {
      throw new IllegalArgumentException("code " + code + ": must be of A-Z, 0-9 and _");
    }
    if (sentence.isBlank() || remedy.isBlank()) {
      throw new IllegalArgumentException(code + ": sentence and remedy must not be empty");
    }
  }
}
