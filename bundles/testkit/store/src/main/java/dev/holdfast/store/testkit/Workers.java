package dev.holdfast.store.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs concurrent tasks that start together. */
final class Workers {
  private static final int LIMIT_SECONDS = 60;

  private Workers() {}

  /** A task with a number. */
  interface Task<T> {
    T run(int worker) throws Exception;
  }

  static <T> List<T> run(int count, Task<T> task) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(count);
    try {
      CyclicBarrier start = new CyclicBarrier(count);
      List<Callable<T>> calls = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int worker = i;
        calls.add(
            () -> {
              start.await(LIMIT_SECONDS, TimeUnit.SECONDS);
              return task.run(worker);
            });
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : pool.invokeAll(calls, LIMIT_SECONDS, TimeUnit.SECONDS)) {
        results.add(future.get());
      }
      return results;
    } finally {
      pool.shutdownNow();
    }
  }
}
