package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Owners of metric names. A name belongs to the symbolic name of a bundle, so that two versions of
 * a bundle may use it during a replacement; the definition of the later one is used. Thread-safe.
 */
final class NameClaims {
  private final Map<String, Claim> claims = new HashMap<>();

  private static final class Claim {
    private final String symbolicName;
    private final Set<Object> users = new HashSet<>();
    private MetricDefinition definition;

    Claim(String symbolicName, MetricDefinition definition) {
      this.symbolicName = symbolicName;
      this.definition = definition;
    }
  }

  /**
   * Claims a name.
   *
   * @param user owner of the claim, which releases it later
   * @throws IllegalArgumentException when the bundle may not use the name
   */
  synchronized void claim(Object user, String symbolicName, MetricDefinition definition) {
    NameRule.check(symbolicName, definition);
    Claim claim =
        claims.computeIfAbsent(definition.name(), name -> new Claim(symbolicName, definition));
    if (!claim.symbolicName.equals(symbolicName)) {
      throw new IllegalArgumentException(
          "series "
              + definition.name()
              + ": bundle "
              + claim.symbolicName
              + " uses this name: bundle "
              + symbolicName
              + " needs another one");
    }
    if (claim.users.contains(user) && !claim.definition.equals(definition)) {
      throw new IllegalArgumentException(
          "series "
              + definition.name()
              + ": bundle "
              + symbolicName
              + " defined it as "
              + claim.definition
              + ", now as "
              + definition);
    }
    claim.users.add(user);
    claim.definition = definition;
  }

  /** Ends the claims of a user. */
  synchronized void release(Object user) {
    claims.values().forEach(claim -> claim.users.remove(user));
    claims.values().removeIf(claim -> claim.users.isEmpty());
  }

  /** Returns whether this is the present definition of its name. */
  synchronized boolean counts(MetricDefinition definition) {
    Claim claim = claims.get(definition.name());
    return claim != null && claim.definition.equals(definition);
  }
}
