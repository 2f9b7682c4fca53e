package dev.holdfast.store.kubernetes.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Answers with the times at which they came; the longest unused one is forgotten. Thread-safe. */
final class RecentAnswers<K, A> {
  private static final float LOAD = 0.75f;

  private record Answer<A>(A value, long nanos) {}

  private final Map<K, Answer<A>> answers;

  /**
   * Creates it empty.
   *
   * @param most answers that are kept
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

  /** Returns an answer that is younger than an age. */
  synchronized Optional<A> find(K question, long now, long age) {
    return Optional.ofNullable(answers.get(question))
        .filter(answer -> now - answer.nanos() < age)
        .map(Answer::value);
  }

  synchronized void put(K question, A answer, long now) {
    answers.put(question, new Answer<>(answer, now));
  }
}
