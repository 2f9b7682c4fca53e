package dev.holdfast.cluster.internal;

import dev.holdfast.certificates.TrustReport;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reports of members on the authorities that they use, since this start. For one thread. */
final class MemberReports {
  /** A member reports every 15 s. */
  private static final Duration AWAY_AFTER = Duration.ofMinutes(3);

  private final Clock clock;
  private final Map<String, Report> reports = new HashMap<>();

  private record Report(Instant time, TrustReport content) {}

  MemberReports(Clock clock) {
    this.clock = clock;
  }

  void add(String node, TrustReport report) {
    reports.put(node, new Report(clock.instant(), report));
  }

  void remove(String node) {
    reports.remove(node);
  }

  /** Returns why a member counts as away. */
  Optional<String> absence(String node) {
    Report last = reports.get(node);
    if (last == null) {
      return Optional.of("has not reported since this node started");
    }
    Duration age = Duration.between(last.time(), clock.instant());
    return age.compareTo(AWAY_AFTER) > 0
        ? Optional.of("last reported " + age.toMinutes() + " min ago")
        : Optional.empty();
  }

  boolean trusts(String node, String authority) {
    return reports.containsKey(node) && reports.get(node).content().trusted().contains(authority);
  }

  boolean hasCertificateOf(String node, String authority) {
    return reports.containsKey(node) && reports.get(node).content().issuer().equals(authority);
  }
}
