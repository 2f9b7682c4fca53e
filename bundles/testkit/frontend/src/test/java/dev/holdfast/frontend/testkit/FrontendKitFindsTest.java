package dev.holdfast.frontend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.testkit.ToyFrontend.Mistake;
import dev.holdfast.rule.testkit.PlantedRun;
import org.junit.jupiter.api.Test;

/** Each contract passes a frontend that follows it, and names the rule that another one breaks. */
class FrontendKitFindsTest {

  static final class Data extends DataContract {
    Data() {
      super(new ToyFixture());
    }
  }

  static final class Failures extends FailureContract {
    Failures() {
      super(new ToyFixture());
    }
  }

  static final class Later extends LaterCompletionContract {
    Later() {
      super(new ToyFixture());
    }
  }

  static final class Lifecycle extends LifecycleContract {
    Lifecycle() {
      super(new ToyFixture());
    }
  }

  static final class Replaced extends ReplacementContract {
    Replaced() {
      super(new ToyFixture());
    }
  }

  static final class NotReplaced extends ReplacementFailureContract {
    NotReplaced() {
      super(new ToyFixture());
    }
  }

  static final class WithoutFlush extends DataContract {
    WithoutFlush() {
      super(new ToyFixture(Mistake.ACKNOWLEDGES_WITHOUT_FLUSH));
    }
  }

  static final class HidesFailures extends FailureContract {
    HidesFailures() {
      super(new ToyFixture(Mistake.HIDES_FAILURES));
    }
  }

  static final class LetsTheInputGo extends LaterCompletionContract {
    LetsTheInputGo() {
      super(new ToyFixture(Mistake.LETS_THE_INPUT_GO));
    }
  }

  static final class RepliesTooEarly extends LaterCompletionContract {
    RepliesTooEarly() {
      super(new ToyFixture(Mistake.REPLIES_TOO_EARLY));
    }
  }

  static final class AcceptsAnyExport extends LifecycleContract {
    AcceptsAnyExport() {
      super(new ToyFixture(Mistake.ACCEPTS_ANY_EXPORT));
    }
  }

  static final class ForgetsTheExport extends ReplacementContract {
    ForgetsTheExport() {
      super(new ToyFixture(Mistake.FORGETS_THE_EXPORT));
    }
  }

  static final class ForgetsItOnTheWayBack extends ReplacementFailureContract {
    ForgetsItOnTheWayBack() {
      super(new ToyFixture(Mistake.FORGETS_THE_EXPORT));
    }
  }

  private static String failure(Class<?> kit, String rule) {
    String name = kit.getSuperclass().getSimpleName() + "." + rule;
    String message = PlantedRun.of(kit, rule).failureOf(rule);
    assertThat(message).contains("rule " + name);
    return message;
  }

  @Test
  void frontendThatFollowsTheRulesPasses() {
    for (Class<?> kit :
        new Class<?>[] {Data.class, Failures.class, Later.class, Lifecycle.class, Replaced.class}) {
      assertThat(PlantedRun.of(kit).failures()).as(kit.getSimpleName()).isEmpty();
    }
  }

  @Test
  void replacementThatFailsIsUndone() {
    PlantedRun run = PlantedRun.of(NotReplaced.class);
    assertThat(run.failures()).isEmpty();
    assertThat(run.passed()).isPositive();
  }

  @Test
  void flushThatDoesNotReachTheDeviceIsFound() {
    assertThat(failure(WithoutFlush.class, "flushReachesTheDevice"))
        .contains("flushes at the device", "expected: 1", "but was: 0");
  }

  @Test
  void hiddenFailureIsFound() {
    assertThat(failure(HidesFailures.class, "refusesARangeOutsideTheDevice"))
        .contains("a read across the end of the device");
  }

  @Test
  void inputThatIsReleasedBeforeTheDeviceHasItIsFound() {
    assertThat(failure(LetsTheInputGo.class, "keepsWrittenBytesUntilTheDeviceHasThem"))
        .contains("content: expected 0x", ", found 0x");
  }

  @Test
  void replyBeforeTheDeviceHasCompletedIsFound() {
    assertThat(failure(RepliesTooEarly.class, "answersInTheOrderOfTheProtocol"))
        .contains("too early");
  }

  @Test
  void unknownExportThatIsAcceptedIsFound() {
    assertThat(failure(AcceptsAnyExport.class, "refusesAnUnknownExport"))
        .contains("a connection to an export that does not exist");
  }

  @Test
  void exportThatTheNextVersionForgetsIsFound() {
    assertThat(
            failure(ForgetsTheExport.class, "everyRequestIsDoneOnceWhileVersionsFollowEachOther"))
        .contains("expected no exception, found ");
  }

  @Test
  void exportForgottenDuringARollbackIsFound() {
    assertThat(failure(ForgetsItOnTheWayBack.class, "sessionsReturnFromAVersionThatThrows"))
        .contains("expected no exception, found ");
  }
}
