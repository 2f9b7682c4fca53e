package dev.holdfast.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.store.memory.FaultSchedule;
import dev.holdfast.store.memory.FaultyResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The election between two nodes whose clocks are years apart. */
class LeaseElectorTest {
  private static final RuntimeSettings SETTINGS = RuntimeSettings.DEFAULT;
  private static final Duration RENEWAL = SETTINGS.leaseRenewal();
  private static final Duration DURATION = SETTINGS.leaseDuration();
  private static final Instant PAST = Instant.parse("2001-01-01T00:00:00Z");
  private static final Instant FUTURE = Instant.parse("2099-01-01T00:00:00Z");

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Candidate first = new Candidate("node-1", FUTURE);
  private final Candidate second = new Candidate("node-2", PAST);

  /** A participating node with a separate clock. */
  private final class Candidate {
    private final ManualTasks tasks = new ManualTasks();
    private final List<Boolean> told = new ArrayList<>();
    private final LeaseElector elector;
    private boolean cutOff;

    private Candidate(String name, Instant wallClock) {
      FaultSchedule faults =
          (operation, kind, resource) ->
              cutOff ? FaultSchedule.Fault.BEFORE : FaultSchedule.Fault.NONE;
      elector =
          new LeaseElector(
              "lease",
              name,
              new FaultyResourceStore(store, faults),
              tasks.clock(wallClock),
              tasks,
              SETTINGS,
              told::add);
    }

    private Candidate begin() {
      elector.start();
      tasks.run();
      return this;
    }

    private void pass(Duration time) {
      tasks.pass(time);
    }
  }

  private LeaseSpec lease() {
    return store.get(Lease.KIND, "lease").orElseThrow().spec();
  }

  @Test
  void theFirstThatComesHoldsTheLeaseForAsLongAsItRenews() {
    first.begin();
    second.begin();
    for (int i = 0; i < 20; i++) {
      first.pass(RENEWAL);
      second.pass(RENEWAL);
    }
    assertThat(first.told).containsExactly(true);
    assertThat(second.told).isEmpty();
    assertThat(lease().holderIdentity()).isEqualTo("node-1");
    assertThat(lease().leaseTransitions()).isZero();
    assertThat(lease().acquireTime()).contains(FUTURE);
    assertThat(lease().renewTime()).contains(FUTURE.plus(RENEWAL.multipliedBy(20)));
  }

  @Test
  void aHolderWithAClockInThePastIsNotTakenForExpired() {
    second.begin();
    first.begin();
    for (int i = 0; i < 20; i++) {
      second.pass(RENEWAL);
      first.pass(RENEWAL);
    }
    assertThat(first.told).isEmpty();
    assertThat(lease().holderIdentity()).isEqualTo("node-2");
  }

  @Test
  void aHolderThatDiedIsFollowedAfterTheDurationAndNotBefore() {
    first.begin();
    second.begin();
    second.pass(DURATION.minusMillis(1));
    assertThat(second.told).isEmpty();
    second.pass(RENEWAL);
    assertThat(second.told).containsExactly(true);
    assertThat(lease().holderIdentity()).isEqualTo("node-2");
    assertThat(lease().leaseTransitions()).isEqualTo(1);
    assertThat(lease().acquireTime()).isEqualTo(lease().renewTime());
  }

  @Test
  void aHolderThatCannotRenewGivesUpBeforeOthersMayTakeOver() {
    first.begin();
    second.begin();
    first.cutOff = true;
    Duration untilTakeover = Duration.ZERO;
    while (second.told.isEmpty()) {
      first.pass(Duration.ofSeconds(1));
      second.pass(Duration.ofSeconds(1));
      untilTakeover = untilTakeover.plusSeconds(1);
      assertThat(second.told.isEmpty() || first.told.equals(List.of(true, false)))
          .as("after " + untilTakeover)
          .isTrue();
    }
    assertThat(untilTakeover).isLessThanOrEqualTo(DURATION.plus(RENEWAL));
  }

  @Test
  void aHolderOutlivesACutThatIsShort() {
    first.begin();
    first.cutOff = true;
    first.pass(RENEWAL.plus(RENEWAL));
    first.cutOff = false;
    first.pass(RENEWAL);
    assertThat(first.told).containsExactly(true);
  }

  @Test
  void aHolderThatStoodStillLearnsThatItWasFollowed() {
    first.begin();
    second.begin();
    first.tasks.standStill(Duration.ofMinutes(1));
    second.pass(Duration.ofMinutes(1));
    first.pass(RENEWAL);
    assertThat(first.told).containsExactly(true, false);
    assertThat(second.told).containsExactly(true);
    assertThat(lease().holderIdentity()).isEqualTo("node-2");
  }

  @Test
  void aLeaseThatIsGivenBackIsTakenAtTheNextRound() {
    first.begin();
    second.begin();
    first.elector.close();
    assertThat(lease().holderIdentity()).isEmpty();
    second.pass(RENEWAL);
    assertThat(second.told).containsExactly(true);
    first.pass(Duration.ofMinutes(1));
    assertThat(lease().holderIdentity()).isEqualTo("node-2");
  }

  @Test
  void ofTwoThatTakeAFreeLeaseAtOnceOneGetsIt() {
    Candidate third = new Candidate("node-3", PAST);
    first.begin();
    second.begin();
    third.begin();
    second.pass(DURATION.plus(RENEWAL));
    third.pass(DURATION.plus(RENEWAL));
    assertThat(second.told).containsExactly(true);
    assertThat(third.told).isEmpty();
  }

  @Test
  void namesOfLeasesAreNamesOfResources() {
    assertThat(LeaseElector.nameFor("Volume Health/1")).isEqualTo("reconciler-volume-health-1");
  }
}
