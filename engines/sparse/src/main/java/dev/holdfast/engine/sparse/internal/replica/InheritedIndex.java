package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.chain.LayerIndexCache;

/**
 * State that one session of a replica leaves for the next one. It is valid until another generation
 * is admitted.
 *
 * @param token token of a session of that generation
 * @param layers index of the layers' data
 */
public record InheritedIndex(Token token, LayerIndexCache layers) {

  boolean holdsAfter(Token promise) {
    return promise.generation() == token.generation();
  }
}
