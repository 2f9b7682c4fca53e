package dev.holdfast.support.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.health.ClusterCheck;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthReport;
import dev.holdfast.health.HealthSeverity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs the checks on separate threads, because a check of a plugin may hang. Thread-safe. */
final class AllChecks implements HealthReport {
  static final Duration LIMIT = Duration.ofSeconds(5);

  private final Map<ClusterCheck, String> checks = new ConcurrentHashMap<>();
  private final Map<ClusterCheck, CompletableFuture<List<HealthFinding>>> running =
      new ConcurrentHashMap<>();
  private final Executor threads;
  private final Duration limit;

  AllChecks(Executor threads, Duration limit) {
    this.threads = threads;
    this.limit = limit;
  }

  /**
   * Adds a check.
   *
   * @param origin the bundle of the check, for messages
   */
  void add(ClusterCheck check, String origin) {
    checks.put(check, origin);
  }

  void remove(ClusterCheck check) {
    checks.remove(check);
    running.remove(check);
  }

  @Override
  public List<HealthFinding> findings() {
    Map<ClusterCheck, CompletableFuture<List<HealthFinding>>> answers = new LinkedHashMap<>();
    checks.keySet().forEach(check -> answers.put(check, begin(check)));
    long end = System.nanoTime() + limit.toNanos();
    List<HealthFinding> found = new ArrayList<>();
    answers.forEach((check, answer) -> found.addAll(await(check, answer, end)));
    found.sort(
        Comparator.comparing(HealthFinding::severity)
            .reversed()
            .thenComparing(HealthFinding::code)
            .thenComparing(finding -> finding.objects().toString()));
    return found;
  }

  /** Starts a check, unless it has not returned from an earlier call. */
  private CompletableFuture<List<HealthFinding>> begin(ClusterCheck check) {
    return running.computeIfAbsent(
        check,
        asked -> {
          CompletableFuture<List<HealthFinding>> answer = new CompletableFuture<>();
          threads.execute(() -> run(asked, answer));
          return answer;
        });
  }

  private void run(ClusterCheck check, CompletableFuture<List<HealthFinding>> answer) {
    try {
      List<HealthFinding> found = List.copyOf(check.findings());
      running.remove(check);
      answer.complete(found);
    } catch (StorageException | RuntimeException | LinkageError e) {
      running.remove(check);
      answer.completeExceptionally(e);
    }
  }

  private List<HealthFinding> await(
      ClusterCheck check, CompletableFuture<List<HealthFinding>> answer, long end) {
    try {
      return answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      return List.of(failed(check, String.valueOf(e.getCause().getMessage())));
    } catch (TimeoutException e) {
      return List.of(failed(check, "it does not answer within " + limit.toSeconds() + " s"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private HealthFinding failed(ClusterCheck check, String why) {
    String origin = checks.getOrDefault(check, "unknown");
    return new HealthFinding(
        "CHECK_FAILED",
        HealthSeverity.WARNING,
        List.of("bundle/" + origin),
        Optional.empty(),
        "a health check of bundle " + origin + " failed: " + why.replaceAll("\\s+", " "),
        "read the log: holdfast logs");
  }
}
