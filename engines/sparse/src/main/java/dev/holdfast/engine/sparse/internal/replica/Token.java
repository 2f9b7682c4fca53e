package dev.holdfast.engine.sparse.internal.replica;

/**
 * What an engine shows to be let in; the highest one that a replica has accepted is its promise.
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
