package dev.holdfast.engine.sparse.internal.replica;

/**
 * Number that an engine presents to a replica. The highest accepted one is the replica's promise.
 *
 * @param generation generation of the engine, decided in the register
 * @param session number that the same engine raises at each new connection
 */
public record Token(long generation, long session) {
  static final Token NONE = new Token(0, 0);

  public boolean isBefore(Token other) {
    return generation < other.generation
        || (generation == other.generation && session < other.session);
  }
}
