package dev.holdfast.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Exceptions and errors of deferred actions. */
class IoThreadErrorTest {
  private final List<String> events = new CopyOnWriteArrayList<>();

  private void runs() {
    IoThread self = (IoThread) Thread.currentThread();
    self.beginRun();
    IoThread.defer(
        () -> {
          throw new AssertionError("planted");
        });
    IoThread.defer(() -> events.add("second"));
    try {
      self.endRun();
    } catch (AssertionError e) {
      events.add(e.getMessage());
    }
    self.beginRun();
    IoThread.defer(() -> events.add("later"));
    self.endRun();
  }

  @Test
  void actionThatThrowsLeavesTheOthersOfItsRunAndLaterRuns() throws Exception {
    IoThread thread = new IoThread(this::runs, "run");
    thread.start();
    thread.join();
    assertThat(events).containsExactly("second", "planted", "later");
  }
}
