package dev.holdfast.resource.cluster;

/** Forms of the value of a setting. */
public enum SettingType {
  /** {@code true} or {@code false}. */
  FLAG,
  /** A whole number within bounds. */
  NUMBER,
  /** An amount of bytes such as {@code 100Mi}. */
  BYTES,
  /** One of several words. */
  CHOICE,
  /** Text that matches a pattern. */
  TEXT
}
