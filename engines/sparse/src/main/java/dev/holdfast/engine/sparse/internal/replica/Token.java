package dev.holdfast.engine.sparse.internal.replica;

/**
 * Number that an engine presents to a replica; the highest accepted one is the replica's promise.
 *
 * @param generation of the engine, decided in the register
 * @param session raised by the same engine when it connects again
 */
public record Token(long generation, long session) {
  static final Token NONE = new Token(0, 0);

  public boolean isBefore(Token other) {
    return generation < other.generation
        || (generation == other.generation && session < other.session);
  }
}
