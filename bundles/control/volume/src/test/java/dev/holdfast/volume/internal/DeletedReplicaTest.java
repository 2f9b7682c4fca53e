package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replicas that a user deletes with kubectl: which are removed, when, and the message before that.
 */
class DeletedReplicaTest {
  private static final String[] ALL = {"r1", "r2", "r3"};

  private static List<String> released(VolumePlan plan) {
    return plan.replicas().stream().filter(Replica::isDisposable).map(Replica::name).toList();
  }

  private static List<String> removed(VolumePlan plan) {
    return plan.engine().map(e -> e.spec().removedReplicas()).orElse(List.of());
  }

  private static String message(VolumePlan plan) {
    return Condition.find(plan.status().conditions(), VolumeConditions.REPLICAS_COMPLETE)
        .map(Condition::message)
        .orElse("");
  }

  static Stream<Arguments> someOrAll() {
    return Stream.of(List.of("r2"), List.of("r1", "r3"), List.of(ALL)).map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("someOrAll")
  void deletedReplicasServeUntilAnotherIsMade(List<String> names) {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW").deletedByUser(names.toArray(new String[0])).plan();
    assertThat(plan.newReplicas()).hasSize(1);
    assertThat(released(plan)).isEmpty();
    assertThat(removed(plan)).isEmpty();
    assertThat(plan.replicas())
        .allMatch(r -> r.spec().desireState() == DesireState.RUNNING)
        .extracting(Replica::name)
        .containsExactlyElementsOf(names);
    assertThat(plan.status().robustness()).isEqualTo(Robustness.HEALTHY);
    assertThat(message(plan)).contains(names.get(0)).contains("is being made");
  }

  @ParameterizedTest
  @MethodSource("someOrAll")
  void detachedVolumeKeepsDeletedReplicas(List<String> names) {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW")
            .deletedByUser(names.toArray(new String[0]))
            .spec(s -> s.withNodeID(""))
            .status(s -> s.withState(VolumeState.DETACHED).withCurrentNodeID(""))
            .engine(e -> e.withDesireState(DesireState.STOPPED).withNodeID(""))
            .plan();
    assertThat(released(plan)).isEmpty();
    assertThat(plan.replicas()).allMatch(r -> r.spec().evictionRequested());
    assertThat(plan.status().robustness()).isNotEqualTo(Robustness.FAULTED);
    assertThat(message(plan)).contains("not attached");
  }

  @Test
  void deletedReplicaLeavesTheVolumeOnceItIsReplaced() {
    ReplicaSets set = ReplicaSets.of(3, "RW", "RW", "RW", "RW").deletedByUser("r2");
    assertThat(removed(set.with("r2", s -> s.withEvictionRequested(true)).plan()))
        .containsExactly("r2");
  }

  @Test
  void deletedReplicaGoesOnceItIsNotAMember() {
    ReplicaSets set = ReplicaSets.of(3, "RW", "RW", "RW").failed("r2", ReplicaSets.NOW, 0);
    VolumePlan plan = set.deletedByUser("r2").with("r2", s -> s.withEvictionRequested(true)).plan();
    assertThat(released(plan)).containsExactly("r2");
    assertThat(plan.deleted()).isEmpty();
  }

  @Test
  void failedReplicaStaysWhileNoOtherIsKnownToBeCurrent() {
    ReplicaSets set = ReplicaSets.of(2, "RW", "FAILED").deletedByUser("r1", "r2").silent("n1");
    assertThat(released(set.with("r2", s -> s.withEvictionRequested(true)).plan())).isEmpty();
  }

  @Test
  void lastCurrentReplicaStaysWhereNoDiskCanTakeAnother() {
    VolumePlan plan =
        ReplicaSets.of(1, "RW")
            .deletedByUser("r1")
            .node("n1", n -> n.withSpec(n.spec().withAllowScheduling(false)))
            .node("n2", n -> n.withSpec(n.spec().withAllowScheduling(false)))
            .node("n3", n -> n.withSpec(n.spec().withAllowScheduling(false)))
            .plan();
    assertThat(plan.newReplicas()).isEmpty();
    assertThat(released(plan)).isEmpty();
    assertThat(removed(plan)).isEmpty();
    assertThat(message(plan)).contains("does not allow scheduling").contains("numberOfReplicas");
  }

  @Test
  void fewerWantedReplicasLetADeletedOneGoWithoutReplacement() {
    VolumePlan plan =
        ReplicaSets.of(2, "RW", "RW", "RW")
            .deletedByUser("r2")
            .with("r2", s -> s.withEvictionRequested(true))
            .plan();
    assertThat(plan.newReplicas()).isEmpty();
    assertThat(removed(plan)).containsExactly("r2");
  }
}
