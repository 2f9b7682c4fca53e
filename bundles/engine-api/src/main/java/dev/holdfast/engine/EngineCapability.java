package dev.holdfast.engine;

/** Abilities that an engine may have beyond keeping bytes. */
public enum EngineCapability {
  /** Data survives the end of the process and a loss of power as flush and FUA promise. */
  DURABLE,
  /** A volume may have several replicas that are kept identical. */
  REPLICATED
}
