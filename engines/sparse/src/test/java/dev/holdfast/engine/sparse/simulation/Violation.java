package dev.holdfast.engine.sparse.simulation;

/** Thrown when the engine broke a guarantee. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public Violation(String message) {
    super(message);
  }
}
