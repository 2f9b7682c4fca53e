package dev.holdfast.controller.runtime;

/**
 * A reconciler read a kind that it does not watch and that is not mirrored yet. Its step ends and
 * is made again once the mirror is complete; never seen outside the runtime.
 */
final class NotSynced extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotSynced(String kind) {
    super(kind + " is not mirrored yet", null, false, false);
  }
}
