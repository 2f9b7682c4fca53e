package dev.holdfast.engine.sparse.internal.members;

/** Work before a trim that lets it free more space. Any thread may call it. */
public interface TrimPreparation {
  /** Returns whether work is needed; fast. */
  boolean isDue();

  /** Does the work, then runs the trim once, in any case. */
  void before(Runnable trim);
}
