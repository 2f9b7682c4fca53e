package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
  private final List<String> done = new ArrayList<>();
  private final SerialExecutor executor = new SerialExecutor("films", Runnable::run);

  @Test
  void aTaskThatFailsKeepsNoLaterOneFromRunning() {
    executor.execute(
        () -> {
          throw new IllegalStateException("first");
        });
    executor.execute(
        () -> {
          throw new OutOfMemoryError("second");
        });
    executor.execute(() -> done.add("third"));

    assertThat(done).containsExactly("third");
  }

  @Test
  void tasksGivenByATaskRunAfterIt() {
    executor.execute(
        () -> {
          executor.execute(() -> done.add("inner"));
          done.add("outer");
        });

    assertThat(done).containsExactly("outer", "inner");
  }
}
