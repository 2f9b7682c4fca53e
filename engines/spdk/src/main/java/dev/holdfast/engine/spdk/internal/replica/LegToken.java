package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;

/**
 * An opening of a volume, as its replicas know it.
 *
 * @param generation in the register
 * @param session number of the engine within the generation
 */
public record LegToken(long generation, long session) {
  /** Returns the token of the last opening that a replica admitted. */
  static LegToken of(LegRecord record) {
    return new LegToken(record.opening().generation(), record.opening().session());
  }

  boolean isLaterThan(LegToken other) {
    return generation > other.generation
        || (generation == other.generation && session > other.session);
  }

  /** Returns a record that admits this opening alone. How the last one ended stays. */
  LegRecord promised(LegRecord record) {
    return record.opened(new Opening(generation, session, record.opening().clean()));
  }

  @Override
  public String toString() {
    return generation + "." + session;
  }
}
