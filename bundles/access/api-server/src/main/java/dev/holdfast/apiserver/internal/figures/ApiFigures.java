package dev.holdfast.apiserver.internal.figures;

import dev.holdfast.metrics.BucketCounter;
import dev.holdfast.metrics.MetricDefinition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts of requests and open watches. Thread-safe. */
public final class ApiFigures {
  private static final double NANOS = 1e9;

  private final Map<Request, LongAdder> requests = new ConcurrentHashMap<>();
  private final Map<String, BucketCounter> seconds = new ConcurrentHashMap<>();
  private final AtomicLong watches = new AtomicLong();

  /**
   * A kind of request.
   *
   * @param verb as in roles of Kubernetes
   * @param kind plural of the kind; empty for other documents
   * @param code HTTP status code
   */
  record Request(String verb, String kind, int code) {}

  void ended(Request request, long nanos) {
    requests.computeIfAbsent(request, key -> new LongAdder()).increment();
    seconds
        .computeIfAbsent(
            request.verb(), verb -> new BucketCounter(MetricDefinition.REQUEST_SECONDS))
        .observe(nanos / NANOS);
  }

  void watchBegan() {
    watches.incrementAndGet();
  }

  void watchEnded() {
    watches.decrementAndGet();
  }

  Map<Request, LongAdder> requests() {
    return requests;
  }

  Map<String, BucketCounter> seconds() {
    return seconds;
  }

  long watches() {
    return watches.get();
  }
}
