package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.chain.LayerIndexCache;

/**
 * State that one session of a replica leaves for the next one. It is valid until another generation
 * is admitted.
 *
 * @param token of a session of that generation
 * @param layers where the data is
 */
public record InheritedIndex(Token token, LayerIndexCache layers) {

  boolean holdsAfter(Token promise) {
    return promise.generation() == token.generation();
  }
}
