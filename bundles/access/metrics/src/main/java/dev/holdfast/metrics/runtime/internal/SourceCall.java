package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSource;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one source on a separate thread, because it may hang. A source that has not returned from
 * the previous scrape is not called again. Thread-safe.
 */
final class SourceCall {
  private static final Logger LOG = LoggerFactory.getLogger(SourceCall.class);

  private final String bundle;
  private final MetricSource source;
  private final Set<MetricDefinition> definitions;
  private final AtomicReference<CompletableFuture<SampleMap>> running = new AtomicReference<>();

  SourceCall(String bundle, MetricSource source, Set<MetricDefinition> definitions) {
    this.bundle = bundle;
    this.source = source;
    this.definitions = definitions;
  }

  String bundle() {
    return bundle;
  }

  Set<MetricDefinition> definitions() {
    return definitions;
  }

  /** Returns a future with the values of the source; fails if the source throws. */
  CompletableFuture<SampleMap> begin(Executor threads) {
    CompletableFuture<SampleMap> mine = new CompletableFuture<>();
    CompletableFuture<SampleMap> present = running.compareAndExchange(null, mine);
    if (present != null) {
      return present;
    }
    threads.execute(() -> run(mine));
    return mine;
  }

  private void run(CompletableFuture<SampleMap> result) {
    CheckedSink sink = new CheckedSink(definitions);
    try {
      source.collect(sink);
      running.set(null);
      result.complete(sink.samples());
    } catch (Exception | LinkageError e) {
      LOG.debug("bundle {}: its source of metrics failed", bundle, e);
      running.set(null);
      result.completeExceptionally(e);
    }
  }
}
