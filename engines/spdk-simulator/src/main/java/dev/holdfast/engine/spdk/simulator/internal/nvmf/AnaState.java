package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import java.util.Locale;

/** Access states that a listener can be given. */
public enum AnaState {
  OPTIMIZED,
  NON_OPTIMIZED,
  INACCESSIBLE;

  /** Returns the state of a name that the table of methods has accepted. */
  public static AnaState of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Returns the number that hosts see. */
  int number() {
    return switch (this) {
      case OPTIMIZED -> 1;
      case NON_OPTIMIZED -> 2;
      case INACCESSIBLE -> 3;
    };
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
