package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A detached volume whose replicas all failed, with a waiting ticket. */
class FaultRetryTest {
  private static final Instant NOW = ReplicaSets.NOW;

  private static List<Condition> conditions(int firstAgo, int lastAgo) {
    List<Condition> first =
        Condition.with(
            List.of(),
            FaultRetry.RECOVERED,
            Condition.Status.FALSE,
            "TriedAgain",
            "",
            NOW.minusSeconds(firstAgo));
    return Condition.with(
        first,
        VolumeConditions.FAULTED,
        Condition.Status.TRUE,
        "NoCurrentReplica",
        "",
        NOW.minusSeconds(lastAgo));
  }

  private static ReplicaSets faulted(int firstAgo, int lastAgo) {
    ReplicaSets set =
        ReplicaSets.of(1, "RW")
            .spec(s -> s.withNodeID(""))
            .status(
                s ->
                    s.withState(VolumeState.DETACHED)
                        .withRobustness(Robustness.FAULTED)
                        .withCurrentNodeID("")
                        .withConditions(conditions(firstAgo, lastAgo)))
            .engine(e -> e.withDesireState(DesireState.STOPPED).withNodeID(""))
            .observed(s -> s.withCurrentState(InstanceState.STOPPED).withEndpoint(""));
    return set.stopped("r1").silent("n1");
  }

  private static VolumeView waitedFor(VolumeView view) {
    AttachmentTicket ticket = AttachmentTicket.of("t", "api", "n1", Map.of(), 1);
    return view.withAttachment(
        Optional.of(VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of("t", ticket)))));
  }

  private static Robustness next(ReplicaSets set) {
    return new VolumePlanner().next(waitedFor(set.view())).status().robustness();
  }

  @ParameterizedTest(name = "first fault {0} s ago, last {1} s ago: {2}")
  @CsvSource({
    "29, 29, FAULTED",
    "31, 31, UNKNOWN",
    "120, 31, FAULTED",
    "120, 61, UNKNOWN",
    "100000, 299, FAULTED",
    "100000, 301, UNKNOWN",
    "-60, -60, UNKNOWN",
  })
  void pausesGrowWithTheTimeWithoutSuccess(int firstAgo, int lastAgo, Robustness expected) {
    assertThat(next(faulted(firstAgo, lastAgo))).isEqualTo(expected);
  }

  @Test
  void nodeThatComesBackEndsALongPauseButNotTheShortest() {
    assertThat(next(comesBack(faulted(100_000, 31), 10))).isEqualTo(Robustness.UNKNOWN);
    assertThat(next(comesBack(faulted(100_000, 31), 40))).isEqualTo(Robustness.FAULTED);
    assertThat(next(comesBack(faulted(100_000, 20), 10))).isEqualTo(Robustness.FAULTED);
  }

  private static ReplicaSets comesBack(ReplicaSets set, int secondsAgo) {
    return set.node(
        "n1",
        n ->
            n.withStatus(
                n.status()
                    .withConditions(
                        Condition.with(
                            List.of(),
                            "Ready",
                            Condition.Status.TRUE,
                            "Ready",
                            "",
                            NOW.minusSeconds(secondsAgo)))));
  }

  @Test
  void looksAgainWhenThePauseIsOver() {
    var status = faulted(120, 31).view().volume().status();
    assertThat(FaultRetry.left(status, NOW)).contains(Duration.ofSeconds(58));
    assertThat(FaultRetry.left(faulted(5, 5).view().volume().status(), NOW))
        .contains(Duration.ofSeconds(25));
  }

  @Test
  void firstFaultIsForgottenOnceNoTicketWaitsOrTheVolumeIsInUse() {
    ReplicaSets set = faulted(120, 61);
    VolumePlan tried = new VolumePlanner().next(waitedFor(set.view()));
    assertThat(Condition.find(tried.status().conditions(), FaultRetry.RECOVERED)).isPresent();
    assertThat(Condition.find(set.plan().status().conditions(), FaultRetry.RECOVERED)).isEmpty();
    VolumePlan used =
        ReplicaSets.of(1, "RW").status(s -> s.withConditions(conditions(120, 61))).plan();
    assertThat(Condition.find(used.status().conditions(), FaultRetry.RECOVERED)).isEmpty();
  }
}
