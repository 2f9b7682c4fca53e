package dev.holdfast.commands.verbs;

import dev.holdfast.commands.HealthViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import java.util.List;

/** {@code health}. */
final class HealthVerbs {
  static final Verb HEALTH =
      new Verb(
          "health",
          List.of(),
          List.of(),
          """
          Show what is wrong in the cluster, and what to do about it.
          Fails when data or a part of the cluster cannot be used.""",
          HealthVerbs::health);

  private HealthVerbs() {}

  private static Output health(VerbCall call) throws StorageException {
    List<HealthFinding> findings = call.context().health();
    if (findings.stream().anyMatch(finding -> finding.severity() == HealthSeverity.ERROR)) {
      call.fail();
    }
    return new HealthViews(call.context().clock()).findings(findings);
  }
}
