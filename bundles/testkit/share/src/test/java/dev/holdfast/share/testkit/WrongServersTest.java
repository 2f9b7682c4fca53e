package dev.holdfast.share.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.share.testkit.MemoryShareServer.Defect;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Each wrong server must fail the rule of the kit that it breaks. */
@Execution(ExecutionMode.SAME_THREAD)
class WrongServersTest {
  private static Defect planted;

  @ParameterizedTest
  @CsvSource({
    "ACCEPTS_LOWER_EPOCH, lowerEpochIsRefusedAndChangesNothing",
    "KEEPS_LOWER_EPOCH, higherEpochReplacesALowerOne",
    "IGNORES_CLIENTS, otherClientsAreNotCurrentUntilTheNextStart",
    "OBSERVES_EVERY_EPOCH, observationOfAnotherEpochIsAbsent",
    "PROBES_EVERY_EPOCH, probeWritesUnderThePresentEpochOnly",
    "LEAVES_SHARE_AFTER_MOVE, endOfAShareLeavesNothingEachTime",
    "EXPELS_EQUAL_EPOCH_ONLY, removalOfAHigherEpochThanThePresentOneRemovesTheShare",
    "GROWS_WITHOUT_MOUNT, shareThatIsNotMountedIsNeitherGrownNorTrimmed",
    "TAKES_BUSY_PORT, portOfAnotherProgramIsRefused",
    "FORGETS_AT_REPLACEMENT, shareServesOnWhileItsBundleIsReplaced"
  })
  void kitFindsTheWrongServer(Defect defect, String rule) {
    planted = defect;

    assertThat(failedRules()).as("rules that fail").contains(rule);
  }

  private static Set<String> failedRules() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Planted.class)).build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    return listener.getSummary().getFailures().stream()
        .map(failure -> failure.getTestIdentifier().getDisplayName().replace("()", ""))
        .collect(Collectors.toSet());
  }

  /** Run by the test above only; the name keeps it out of Surefire's patterns. */
  static class Planted extends ShareServerKit {
    @Override
    protected ShareServerLab open() throws Exception {
      return new MemoryShareLab(planted);
    }
  }
}
