package dev.holdfast.engine.sparse.internal.members;

/** Work before a trim, so that it frees more. For any thread. */
public interface TrimPreparation {
  /** Returns whether there is something to be done; fast. */
  boolean isDue();

  /** Does it, then what the trim wants; the latter once, soon, and in any case. */
  void before(Runnable trim);
}
