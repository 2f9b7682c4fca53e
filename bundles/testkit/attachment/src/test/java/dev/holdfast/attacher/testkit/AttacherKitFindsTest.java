package dev.holdfast.attacher.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.rule.testkit.PlantedRun;
import dev.holdfast.store.ResourceStore;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule of the kit finds a planted wrong attacher, and its message names rule and tickets. */
class AttacherKitFindsTest {
  private static final String HISTORIES = "aTicketExistsIfAndOnlyIfItsSubjectNeedsIt";
  private static final String MISSED = "changesWhileTheAttacherWasStoppedAreReconciled";
  private static final String NAMED = "theTypeIsNamedAndTheReconcilerHasItsName";
  private static final int READABLE = 2_000;

  /** Not named as tests, so that the build runs them by the tests below only. */
  private abstract static class Kit extends AttacherKit {
    @Override
    protected void prepare(ResourceStore store) throws StorageException {
      ToyWorld.prepare(store);
    }

    @Override
    protected void change(ResourceStore store, Random random) throws StorageException {
      ToyWorld.change(store, random);
    }

    @Override
    protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
      return ToyWorld.wanted(store);
    }
  }

  static final class EdgeTriggered extends Kit {
    @Override
    protected Reconciler<?> attacher() {
      return new ToyWorld.EdgeTriggered();
    }
  }

  static final class Nowhere extends Kit {
    @Override
    protected Reconciler<?> attacher() {
      return new ToyWorld.Nowhere();
    }
  }

  static final class WithoutFrontend extends Kit {
    @Override
    protected Reconciler<?> attacher() {
      return new ToyWorld.WithoutFrontend();
    }
  }

  static final class TwoNames extends Kit {
    @Override
    protected Reconciler<?> attacher() {
      return new ToyWorld.TwoNames();
    }
  }

  private static String failure(Class<?> kit, String rule) {
    String message = PlantedRun.of(kit, rule).failureOf(rule);
    assertThat(message).contains("rule AttacherKit." + rule).hasSizeLessThan(READABLE);
    return message;
  }

  @Test
  void edgeTriggeredAttacherIsFoundByHistories() {
    assertThat(failure(EdgeTriggered.class, HISTORIES))
        .contains("expected [", ", found [", "/toy-");
  }

  @Test
  void edgeTriggeredAttacherIsFoundByAMissedChange() {
    assertThat(failure(EdgeTriggered.class, MISSED)).contains("missing [", "/toy-");
  }

  @Test
  void ticketWithoutItsNodeIsFound() {
    assertThat(failure(Nowhere.class, HISTORIES))
        .contains("at node node-1 {disableFrontend=any}", "at any node {disableFrontend=any}");
  }

  @Test
  void ticketWithAnotherUseOfTheFrontendIsFound() {
    assertThat(failure(WithoutFrontend.class, MISSED))
        .contains("{disableFrontend=any}", "{disableFrontend=true}");
  }

  @Test
  void attacherWithTwoNamesIsFound() {
    assertThat(failure(TwoNames.class, NAMED)).contains("name of the attacher", "toy-");
  }
}
