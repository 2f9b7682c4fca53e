package dev.holdfast.metrics.runtime.internal;

import dev.holdfast.metrics.MetricDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/** The metrics of all bundles of the node. Thread-safe. */
final class AllSeries {
  static final Duration LONGEST_SCRAPE = Duration.ofSeconds(5);

  private final NameClaims claims = new NameClaims();
  private final List<BundleSeries> bundles = new CopyOnWriteArrayList<>();
  private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
  private final Executor threads;
  private final Duration limit;

  /**
   * Creates an empty registry.
   *
   * @param threads threads for sources, as many as sources
   * @param limit time limit of one scrape
   */
  AllSeries(Executor threads, Duration limit) {
    this.threads = threads;
    this.limit = limit;
  }

  /** Adds a bundle. */
  BundleSeries open(String symbolicName) {
    BundleSeries added = new BundleSeries(symbolicName, claims);
    bundles.add(added);
    return added;
  }

  /** Ends all series of a bundle. */
  void close(BundleSeries ended) {
    bundles.remove(ended);
    claims.release(ended);
  }

  /** Returns the number of failures and time-outs of each bundle's sources. */
  Map<String, LongAdder> failures() {
    return failures;
  }

  /**
   * Returns the present values of some groups. Waits for sources until the limit.
   *
   * @param groups empty for all
   */
  SampleMap scrape(Set<String> groups) {
    List<SourceCall> calls = new ArrayList<>();
    List<CompletableFuture<SampleMap>> answers = new ArrayList<>();
    for (BundleSeries bundle : bundles) {
      for (SourceCall call : bundle.sources()) {
        if (call.definitions().stream().anyMatch(d -> selected(groups, d))) {
          calls.add(call);
          answers.add(call.begin(threads));
        }
      }
    }
    SampleMap found = new SampleMap();
    for (BundleSeries bundle : bundles) {
      bundle.kept().stream()
          .filter(series -> selected(groups, series.definition()))
          .forEach(series -> series.addTo(found));
    }
    long end = System.nanoTime() + limit.toNanos();
    for (int i = 0; i < calls.size(); i++) {
      addAnswer(found, groups, calls.get(i), answers.get(i), end - System.nanoTime());
    }
    return found;
  }

  private void addAnswer(
      SampleMap found,
      Set<String> groups,
      SourceCall call,
      CompletableFuture<SampleMap> answer,
      long nanos) {
    try {
      SampleMap samples = answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      found.addAll(samples, definition -> selected(groups, definition));
    } catch (ExecutionException
        | TimeoutException
        | CompletionException
        | CancellationException e) {
      failures.computeIfAbsent(call.bundle(), name -> new LongAdder()).increment();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean selected(Set<String> groups, MetricDefinition definition) {
    return (groups.isEmpty() || groups.contains(definition.group())) && claims.counts(definition);
  }
}
