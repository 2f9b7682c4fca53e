package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;

/** A namespace as a target serves it to one host. */
public interface ServedNamespace extends FabricNamespace {
  /** Returns its access group, from 1. */
  int accessGroup();
}
