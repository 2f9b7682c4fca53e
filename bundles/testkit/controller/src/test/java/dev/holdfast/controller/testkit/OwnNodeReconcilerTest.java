package dev.holdfast.controller.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.OwnNodeReconciler;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnNodeReconcilerTest {
  private static final Result AGAIN = Result.after(Duration.ofSeconds(1));

  /** Notes the node of each step. */
  private static final class NotingReconciler implements OwnNodeReconciler {
    private final List<String> steps = new ArrayList<>();

    @Override
    public String name() {
      return "noting";
    }

    @Override
    public Result reconcileOwn(ReconcileContext context) {
      steps.add(context.nodeName());
      return AGAIN;
    }
  }

  @Test
  void stepIsMadeForTheNodeOfTheContextOnly() throws Exception {
    NotingReconciler reconciler = new NotingReconciler();
    try (MemoryResourceStore store = new MemoryResourceStore()) {
      StoreContext context = new StoreContext(store, Clock.systemUTC(), "node-1");
      assertThat(reconciler.reconcile("node-2", context)).isEqualTo(Result.DONE);
      assertThat(reconciler.steps).isEmpty();
      assertThat(reconciler.reconcile("node-1", context)).isEqualTo(AGAIN);
      assertThat(reconciler.steps).containsExactly("node-1");
    }
  }

  @Test
  void everyNodeRunsItsOwn() {
    assertThat(new NotingReconciler().scope()).isEqualTo(Scope.NODE);
  }
}
