package dev.holdfast.controller.runtime;

/**
 * Thrown when a reconciler reads a kind that it does not watch and that is not mirrored yet. The
 * runtime ends the step, and repeats it once the mirror is complete. Never leaves the runtime.
 */
final class NotSynced extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotSynced(String kind) {
    super(kind + " is not mirrored yet", null, false, false);
  }
}
