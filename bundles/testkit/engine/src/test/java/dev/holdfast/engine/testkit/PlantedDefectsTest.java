package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The kit finds each mistake that its documentation claims. */
class PlantedDefectsTest {
  private static final ThreadLocal<Defect> PLANTED = ThreadLocal.withInitial(() -> Defect.NONE);

  /** The disks of an engine with the planted mistake. */
  static final class WrongDisks extends DiskTests {
    WrongDisks() {
      super(new SharedMemoryLab(PLANTED.get()));
    }
  }

  /** The locks of an engine with the planted mistake. */
  static final class WrongFences extends FencingTests {
    WrongFences() {
      super(new SharedMemoryLab(PLANTED.get()));
    }
  }

  private static List<String> failures(Defect defect) {
    List<String> failed = new ArrayList<>();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(WrongDisks.class), selectClass(WrongFences.class))
            .build();
    PLANTED.set(defect);
    try {
      LauncherFactory.create()
          .execute(
              request,
              new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                  if (test.isTest() && result.getStatus() == TestExecutionResult.Status.FAILED) {
                    failed.add(test.getDisplayName().replace("()", ""));
                  }
                }
              });
    } finally {
      PLANTED.remove();
    }
    return failed;
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "OPENS_WITHOUT_LOCK, firstOpeningChangesNoByteAfterTheSecondReturned",
    "TAKES_A_HELD_LOCK, theSecondOpeningNamesTheHolderOfTheLock",
    "IDENTITY_OF_THE_NODE, bothNodesSeeOneIdentity",
    "NEW_IDENTITY, aPreparedDiskKeepsItsIdentity",
    "PREPARES_OVER_CONTENT, aDiskThatHoldsSomethingIsRefusedAndLeftAsItIs",
    "INSPECTION_WRITES, inspectionFindsNothingOnABlankDiskAndChangesNothing",
    "DELETES_WHAT_IS_OPEN, aReplicaThatAnotherNodeHasOpenIsNotDeleted",
    "RELEASES_WHAT_IS_OPEN, aReleasedDiskKeepsItsReplicas",
    "PROMISES_THE_REST, sizesFitEachOther",
  })
  void theKitFindsThe(Defect defect, String test) {
    assertThat(failures(defect)).contains(test);
  }

  @ParameterizedTest
  @CsvSource("NONE")
  void anEngineWithoutMistakesPasses(Defect none) {
    assertThat(failures(none)).isEmpty();
  }
}
