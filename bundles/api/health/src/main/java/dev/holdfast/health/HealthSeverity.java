package dev.holdfast.health;

/** Urgency of a finding. */
public enum HealthSeverity {
  /** A component serves with less protection, or will fail later. */
  WARNING,
  /** Data or a part of the cluster is unusable at present. */
  ERROR
}
