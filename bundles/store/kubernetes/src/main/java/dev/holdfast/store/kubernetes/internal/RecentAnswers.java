package dev.holdfast.store.kubernetes.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Cache of responses with their times; the least recently used one is removed. Thread-safe. */
final class RecentAnswers<K, A> {
  private static final float LOAD = 0.75f;

  private record Answer<A>(A value, long nanos) {}

  private final Map<K, Answer<A>> answers;

  /**
   * Creates an empty cache.
   *
   * @param most maximum number of responses
   */
  RecentAnswers(int most) {
    answers =
        new LinkedHashMap<>(16, LOAD, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, Answer<A>> eldest) {
            return size() > most;
          }
        };
  }

  /** Returns a response that is younger than an age in nanoseconds. */
  synchronized Optional<A> find(K question, long now, long age) {
    return Optional.ofNullable(answers.get(question))
        .filter(answer -> now - answer.nanos() < age)
        .map(Answer::value);
  }

  synchronized void put(K question, A answer, long now) {
    answers.put(question, new Answer<>(answer, now));
  }
}
