package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.PoolStep.Kind;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Table of the decider's cases: nodes A and B use a pool that is active on A in generation 3. */
class PoolDeciderTest {
  private static final String A = "node-a";
  private static final String B = "node-b";
  private static final long SIZE = 1 << 20;
  private static final PoolAddress EXPORT = new PoolAddress(A, "10.0.0.1", 10809, 3);

  private static final PoolPlace SERVING =
      new PoolPlace(
          A, "", PoolPlace.Phase.SERVING, 3, Map.of(A, 3L, B, 3L), Map.of("blob", EXPORT));

  private static final NodeView ON_A =
      new NodeView(A, true, Map.of("blob", EXPORT), 3, Map.of("blob", SIZE), Set.of());
  private static final NodeView ON_B =
      new NodeView(B, false, Map.of(), 3, Map.of("blob", SIZE), Set.of());

  private static PoolRecord pool(PoolPlace place, String... users) {
    List<Attachment> attachments = new ArrayList<>();
    for (String user : users) {
      attachments.add(new Attachment("blob", user, "cookie", false));
    }
    return new PoolRecord(
        "blob",
        "",
        BlobOptions.THIN,
        List.of(new RecordedBlob("blob", RecordedBlob.Phase.PRESENT, SIZE, "")),
        attachments,
        place);
  }

  private static PoolStep next(PoolPlace place, NodeView view) {
    return PoolDecider.next(pool(place, A, B), view);
  }

  private static NodeView active(NodeView view, boolean active) {
    return new NodeView(
        view.self(), active, view.exports(), view.generation(), view.devices(), view.lost());
  }

  private static NodeView generation(NodeView view, long generation) {
    return new NodeView(
        view.self(), view.active(), view.exports(), generation, view.devices(), view.lost());
  }

  private static NodeView losing(NodeView view, String... lost) {
    return new NodeView(
        view.self(),
        view.active(),
        view.exports(),
        view.generation(),
        view.devices(),
        Set.of(lost));
  }

  private static NodeView withoutExports(NodeView view) {
    return new NodeView(
        view.self(), view.active(), Map.of(), view.generation(), view.devices(), view.lost());
  }

  @Test
  void connectedNodesOfServingPoolHaveNothingToDo() {
    assertThat(next(SERVING, ON_A)).isEqualTo(PoolStep.of(Kind.DONE));
    assertThat(next(SERVING, ON_B)).isEqualTo(PoolStep.of(Kind.DONE));
  }

  @Test
  void firstUserOfIdlePoolClaimsIt() {
    PoolPlace idle = SERVING.idle();
    assertThat(PoolDecider.next(pool(idle, B), generation(ON_B, 0)))
        .isEqualTo(PoolStep.record(idle.moving(B)));
    assertThat(PoolDecider.next(pool(idle), active(ON_B, true)))
        .as("a pool that a crash left active")
        .isEqualTo(PoolStep.of(Kind.DEACTIVATE));
  }

  @Test
  void recordedNodeTakesTheLockAfterItsHostStartedAgain() {
    assertThat(next(SERVING, active(ON_A, false))).isEqualTo(PoolStep.of(Kind.ACTIVATE));
  }

  @Test
  void restartedProcessExportsAndConnectsAgain() {
    assertThat(next(SERVING, withoutExports(ON_A))).isEqualTo(PoolStep.of(Kind.EXPORT));
    assertThat(next(SERVING, generation(ON_A, 0))).isEqualTo(PoolStep.of(Kind.CONNECT));
    assertThat(next(SERVING, generation(ON_B, 0))).isEqualTo(PoolStep.of(Kind.CONNECT));
  }

  @Test
  void newExportIsRecordedBeforeOthersConnect() {
    PoolPlace none = SERVING.exporting(Map.of());
    assertThat(next(none, ON_A)).isEqualTo(PoolStep.record(SERVING));
    assertThat(next(none, generation(ON_B, 0))).isEqualTo(PoolStep.waitFor(A));
  }

  @Test
  void connectionIsRecordedBeforeItIsMade() {
    PoolPlace place = SERVING.released(B);
    assertThat(next(place, generation(ON_B, 0))).isEqualTo(PoolStep.record(SERVING));
  }

  @Test
  void grownBlobIsConnectedAgain() {
    NodeView smaller = new NodeView(B, false, Map.of(), 3, Map.of("blob", SIZE / 2), Set.of());
    assertThat(next(SERVING, smaller)).isEqualTo(PoolStep.of(Kind.CONNECT));
  }

  @Test
  void allNodesReleaseTheirDevicesBeforeThePoolMoves() {
    PoolPlace holding = SERVING.holding(B);
    assertThat(next(holding, ON_A)).isEqualTo(PoolStep.of(Kind.RELEASE));
    assertThat(next(holding, generation(ON_A, PoolDecider.RELEASED)))
        .isEqualTo(PoolStep.record(holding.released(A)));
    PoolPlace first = holding.released(A);
    assertThat(next(first, generation(ON_A, PoolDecider.RELEASED))).isEqualTo(PoolStep.waitFor(B));
    assertThat(next(first, ON_B)).isEqualTo(PoolStep.of(Kind.RELEASE));
    PoolPlace all = first.released(B);
    assertThat(next(all, generation(ON_B, PoolDecider.RELEASED))).isEqualTo(PoolStep.waitFor(A));
    assertThat(next(all, generation(ON_A, PoolDecider.RELEASED)))
        .isEqualTo(PoolStep.record(all.moving(B)));
  }

  @Test
  void releasedPoolMovesForwardOnly() {
    PoolPlace moving = SERVING.released(A).released(B).moving(B);
    assertThat(next(moving, ON_A)).isEqualTo(PoolStep.of(Kind.DEACTIVATE));
    assertThat(next(moving, active(ON_A, false))).isEqualTo(PoolStep.waitFor(B));
    assertThat(next(moving, ON_B)).isEqualTo(PoolStep.of(Kind.ACTIVATE));
    assertThat(next(moving, active(ON_B, true))).isEqualTo(PoolStep.record(moving.active(B)));
    assertThat(moving.active(B).generation()).isEqualTo(4);
  }

  @Test
  void poolReturnsWhenTheWantedNodeIsLostBeforeTheMove() {
    PoolPlace holding = SERVING.holding(B);
    assertThat(next(holding, losing(ON_A, B))).isEqualTo(PoolStep.record(SERVING));
  }

  @Test
  void anotherUserTakesThePoolWhenTheWantedNodeIsLostDuringTheMove() {
    PoolPlace moving = SERVING.released(A).released(B).moving(B);
    NodeView view = losing(active(ON_A, false), B);
    assertThat(next(moving, view)).isEqualTo(PoolStep.record(moving.moving(A)));
  }

  @Test
  void lostClientIsNotWaitedFor() {
    PoolPlace holding = SERVING.released(A).holding(A);
    PoolPlace other = new PoolPlace(A, "node-c", holding.phase(), 3, Map.of(B, 3L), Map.of());
    assertThat(next(other, losing(generation(ON_A, PoolDecider.RELEASED), B)))
        .isEqualTo(PoolStep.record(other.moving("node-c")));
  }

  @Test
  void moveContinuesWithoutReleaseWhenTheActiveNodeIsLost() {
    PoolPlace holding = SERVING.holding(B);
    assertThat(next(holding, losing(ON_B, A))).isEqualTo(PoolStep.record(holding.moving(B)));
  }

  @Test
  void userTakesThePoolOfALostNodeAndStaysConnected() {
    PoolStep step = next(SERVING, losing(ON_B, A));
    assertThat(step).isEqualTo(PoolStep.record(SERVING.moving(B)));
    assertThat(SERVING.moving(B).connection(B))
        .as("requests above the dead connection wait for the next export")
        .isEqualTo(3);
  }

  @Test
  void unusedPoolIsRecordedAsIdleBeforeItIsDeactivated() {
    assertThat(PoolDecider.next(pool(SERVING), ON_A)).isEqualTo(PoolStep.record(SERVING.idle()));
    assertThat(PoolDecider.next(pool(SERVING.idle()), ON_A))
        .isEqualTo(PoolStep.of(Kind.DEACTIVATE));
  }

  @Test
  void nodeThatDetachedIsNotConnectedAnyMore() {
    PoolRecord pool = pool(SERVING, A);
    assertThat(PoolDecider.next(pool, generation(ON_B, PoolDecider.RELEASED)))
        .isEqualTo(PoolStep.record(SERVING.released(B)));
  }
}
