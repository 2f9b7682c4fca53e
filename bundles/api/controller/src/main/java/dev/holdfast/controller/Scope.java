package dev.holdfast.controller;

/** The nodes on which a reconciler runs. */
public enum Scope {
  /** On every node; each acts only on the resources that name it. */
  NODE,
  /**
   * On the one node that holds the reconciler's lease (a hint: correctness must not rest on it).
   */
  CLUSTER
}
