package dev.holdfast.controller;

/** The nodes on which a reconciler runs. */
public enum Scope {
  /** On every node; each acts only on the resources that name it. */
  NODE,
  /**
   * On the node that holds the reconciler's lease. The lease is a hint; correctness must not depend
   * on it.
   */
  CLUSTER
}
