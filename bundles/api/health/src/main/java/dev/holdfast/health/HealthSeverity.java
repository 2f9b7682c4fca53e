package dev.holdfast.health;

/** How soon a finding needs an administrator. */
public enum HealthSeverity {
  /** Something serves with less protection, or will fail later. */
  WARNING,
  /** Data or a part of the cluster cannot be used now. */
  ERROR
}
