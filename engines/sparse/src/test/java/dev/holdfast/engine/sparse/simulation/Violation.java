package dev.holdfast.engine.sparse.simulation;

/** The engine broke a promise. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates one. */
  public Violation(String message) {
    super(message);
  }
}
