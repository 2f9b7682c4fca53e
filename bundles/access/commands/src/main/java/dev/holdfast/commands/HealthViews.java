package dev.holdfast.commands;

import dev.holdfast.client.HealthJson;
import dev.holdfast.health.HealthFinding;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Formats the health problems of the cluster for output. */
public final class HealthViews {
  private final Clock clock;

  /** Computes ages by a clock. */
  public HealthViews(Clock clock) {
    this.clock = clock;
  }

  /** Shows all findings, and below the table the remedy for each. */
  public Output findings(List<HealthFinding> findings) {
    return new Output(() -> text(findings), () -> HealthJson.document(findings));
  }

  private String text(List<HealthFinding> findings) {
    if (findings.isEmpty()) {
      return "All is well.";
    }
    Table table = new Table("SEVERITY", "CODE", "SINCE", "OBJECTS");
    findings.forEach(
        finding ->
            table.row(
                finding.severity(),
                finding.code(),
                finding.since().map(this::since).orElse(""),
                objects(finding.objects())));
    return findings.stream()
        .map(
            finding ->
                Table.printable(finding.code() + ": " + finding.sentence())
                    + "\n  "
                    + Table.printable(finding.remedy()))
        .collect(Collectors.joining("\n", table + "\n\n", ""));
  }

  private static String objects(List<String> objects) {
    int more = objects.size() - 1;
    return objects.stream().limit(1).collect(Collectors.joining())
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** The end of a certificate can be in the future. */
  private String since(Instant since) {
    Duration age = Duration.between(since, clock.instant());
    return age.isNegative()
        ? "in " + SizeText.shortened(age.negated())
        : SizeText.shortened(age) + " ago";
  }
}
