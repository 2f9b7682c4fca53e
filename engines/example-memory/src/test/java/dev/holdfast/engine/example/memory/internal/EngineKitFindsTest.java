package dev.holdfast.engine.example.memory.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.example.memory.internal.BrokenEngine.Mistake;
import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.ReplicatedEngineKit;
import dev.holdfast.rule.testkit.PlantedRun;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each topic of the kits finds a planted wrong engine and names the rule that it breaks. */
class EngineKitFindsTest {

  private record Lab(Mistake mistake) implements EngineLab.Replicated {
    @Override
    public EngineProvider start() {
      return new BrokenEngine(mistake);
    }

    @Override
    public void stop(EngineProvider engine) {}

    @Override
    public void kill(EngineProvider engine) {}

    @Override
    public void breakDisk(ReplicaLocation replica) {}

    @Override
    public void repair(ReplicaLocation replica) {}

    @Override
    public void rot(ReplicaLocation replica, String snapshot, long offset) {}

    @Override
    public byte[] content(ReplicaLocation replica) {
      return new byte[0];
    }
  }

  static final class OccupiesTheWholeSize extends EngineKit {
    @Override
    protected EngineLab lab() {
      return new Lab(Mistake.OCCUPIES_THE_WHOLE_SIZE);
    }
  }

  static final class LosesWrites extends EngineKit {
    @Override
    protected EngineLab lab() {
      return new Lab(Mistake.LOSES_WRITES);
    }
  }

  static final class ForgetsAtHandover extends EngineKit {
    @Override
    protected EngineLab lab() {
      return new Lab(Mistake.FORGETS_AT_HANDOVER);
    }
  }

  static final class DeclaresEverything extends ReplicatedEngineKit {
    @Override
    protected EngineLab.Replicated lab() {
      return new Lab(Mistake.DECLARES_EVERYTHING);
    }
  }

  private record BaseLab(MemoryBaseEngine.Mistake mistake) implements EngineLab {
    @Override
    public EngineProvider start() {
      return new MemoryBaseEngine(mistake);
    }

    @Override
    public void stop(EngineProvider engine) {}

    @Override
    public void kill(EngineProvider engine) {}
  }

  static final class ShowsTheBaseAfterATrim extends EngineKit {
    @Override
    protected EngineLab lab() {
      return new BaseLab(MemoryBaseEngine.Mistake.SHOWS_THE_BASE_AFTER_A_TRIM);
    }
  }

  static final class FreesTheBaseOfAReplica extends EngineKit {
    @Override
    protected EngineLab lab() {
      return new BaseLab(MemoryBaseEngine.Mistake.FREES_THE_BASE_OF_A_REPLICA);
    }
  }

  @Test
  void trimThatShowsTheBaseAgainIsFound() {
    Class<?> topic = EngineKit.BasedVolumes.class;
    List<Class<?>> kit = List.of(ShowsTheBaseAfterATrim.class);
    assertThat(failure(kit, topic, "trimsAndZeroesHideTheBase"))
        .contains("expected 0x00 at byte 0");
  }

  @Test
  void baseThatIsTakenFromAReplicaIsFound() {
    Class<?> topic = EngineKit.Bases.class;
    List<Class<?>> kit = List.of(FreesTheBaseOfAReplica.class);
    assertThat(failure(kit, topic, "baseOfAReplicaIsNotDeletedWhetherItIsOpenOrNot"))
        .contains("expected a StorageException, found success");
  }

  private static String failure(List<Class<?>> kit, Class<?> topic, String rule) {
    String name = topic.getSuperclass().getSimpleName() + "." + rule;
    String message = PlantedRun.of(kit, topic, rule).failureOf(rule);
    assertThat(message).contains("rule " + name);
    return message;
  }

  @Test
  void usedBytesOfAnEmptyReplicaAreFound() {
    Class<?> topic = EngineKit.Provisioning.class;
    List<Class<?>> kit = List.of(OccupiesTheWholeSize.class);
    assertThat(failure(kit, topic, "newReplicaHasItsSizeAndIsClean"))
        .contains("used bytes of a new, empty replica", "to be less than");
  }

  @Test
  void writesThatAreLostAreFoundByTheNextOpening() {
    Class<?> topic = EngineKit.Opening.class;
    List<Class<?>> kit = List.of(LosesWrites.class);
    assertThat(failure(kit, topic, "reopenedVolumeHasTheDataOfTheClosedOne"))
        .contains("content: expected 0x", ", found 0x00");
  }

  @Test
  void writesThatAreLostAreFoundByTheKitOfDevices() {
    List<Class<?>> kit = List.of(LosesWrites.class, EngineKit.Device.class);
    Class<?> topic = EngineKit.Device.Integrity.class;
    assertThat(failure(kit, topic, "wholeDeviceIsWrittenAndReadAtOnce"))
        .contains("expected 0x", ", found 0x00");
  }

  @Test
  void handoverThatForgetsTheVolumeIsFound() {
    Class<?> topic = EngineKit.Replacement.class;
    List<Class<?>> kit = List.of(ForgetsAtHandover.class);
    assertThat(failure(kit, topic, "nextEngineContinuesInTheSameGenerationWithoutTheRegister"))
        .contains("expected no exception, found ");
  }

  static Stream<Arguments> declaredAbilities() {
    return Stream.of(
        Arguments.of(EngineKit.Capabilities.class, "openVolumeCanDoWhatIsDeclaredAndNoMore"),
        Arguments.of(
            EngineKit.Capabilities.class, "durableEngineKeepsAcknowledgedWritesWhenItIsKilled"),
        Arguments.of(EngineKit.Snapshots.class, "snapshotKeepsTheContentOfItsMoment"),
        Arguments.of(EngineKit.Reclaim.class, "trimFreesSpaceThatOnlySnapshotsUse"),
        Arguments.of(EngineKit.Expansion.class, "grownVolumeKeepsItsContentAndReadsZeroesBeyond"),
        Arguments.of(EngineKit.Linking.class, "linkedVolumeReadsAsTheSnapshotOnAllReplicas"),
        Arguments.of(EngineKit.Bases.class, "baseIsAbsentThenUnfinishedThenSealed"),
        Arguments.of(EngineKit.BasedVolumes.class, "volumeReadsAsItsBaseAndAsZeroesBehindIt"),
        Arguments.of(
            ReplicatedEngineKit.Removal.class, "removedReplicaIsNotAMemberAndMayBeDeleted"),
        Arguments.of(ReplicatedEngineKit.Replication.class, "allReplicasHoldAllBytes"),
        Arguments.of(ReplicatedEngineKit.Rebuilding.class, "emptyReplicaBecomesCurrent"),
        Arguments.of(ReplicatedEngineKit.Scrubbing.class, "checksumOfAWholeSnapshotIsKept"));
  }

  @ParameterizedTest
  @MethodSource("declaredAbilities")
  void abilityThatIsDeclaredAndAbsentIsFound(Class<?> topic, String rule) {
    assertThat(failure(List.of(DeclaresEverything.class), topic, rule))
        .containsIgnoringCase("expect");
  }
}
