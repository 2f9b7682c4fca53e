package dev.holdfast.image.internal.content;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** The work on bases of this node: at most two at a time, one for each base. Thread-safe. */
@Component(service = BaseTasks.class)
public final class BaseTasks {
  private static final int THREADS = 2;

  private final Map<String, BaseTask> tasks = new ConcurrentHashMap<>();
  private final ExecutorService executor;

  /** Creates an object without work. */
  @Activate
  public BaseTasks() {
    this(
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "image-copy");
              thread.setDaemon(true);
              return thread;
            }));
  }

  /** Creates an object that works on an executor, which it shuts down when it is closed. */
  public BaseTasks(ExecutorService executor) {
    this.executor = executor;
  }

  /** Starts work on a base unless the base has work. */
  public void start(String base, BaseTask task) {
    if (tasks.putIfAbsent(base, task) == null) {
      executor.execute(task);
    }
  }

  /** Returns the running or ended work on a base. */
  public Optional<BaseTask> find(String base) {
    return Optional.ofNullable(tasks.get(base));
  }

  /** Removes ended work. */
  public void forget(String base) {
    tasks.computeIfPresent(base, (key, task) -> task.outcome().isPresent() ? null : task);
  }

  /** Requests the end of the work on a base. Returns whether it has ended. */
  public boolean cancel(String base) {
    find(base).ifPresent(BaseTask::cancel);
    forget(base);
    return find(base).isEmpty();
  }

  /** Ends all work. Durable regions stay. */
  @Deactivate
  public void close() {
    tasks.values().forEach(BaseTask::cancel);
    executor.shutdownNow();
  }
}
