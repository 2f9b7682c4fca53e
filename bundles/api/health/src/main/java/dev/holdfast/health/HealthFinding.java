package dev.holdfast.health;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A health problem. Immutable.
 *
 * @param code for programs, for example {@code VOLUME_DEGRADED}, not null
 * @param severity urgency for an administrator, not null
 * @param objects affected objects as {@code kind/name}, for example {@code volume/films}; not null
 * @param since start of the problem; empty if unknown; not null
 * @param sentence description of the problem for users, without line breaks; not null
 * @param remedy remedy, with a command if one exists, without line breaks; not null
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
   * Checks the code and rejects empty texts.
   *
   * @throws IllegalArgumentException with the field and the value
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
