package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.lvm.blobs.PoolDecider.NodeView;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
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

  private static final NodeDevices LOCAL = NodeDevices.UNKNOWN.claiming(3).connected("blob", SIZE);
  private static final NodeDevices LINKED =
      NodeDevices.UNKNOWN.claiming(3).trying("blob").connected("blob", SIZE);
  private static final NodeDevices RELEASED = LINKED.released();

  private static final NodeView ON_A =
      new NodeView(A, true, Map.of("blob", EXPORT), LOCAL, Set.of());
  private static final NodeView ON_B = new NodeView(B, false, Map.of(), LINKED, Set.of());

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
    return new NodeView(view.self(), active, view.exports(), view.devices(), view.lost());
  }

  private static NodeView with(NodeView view, NodeDevices devices) {
    return new NodeView(view.self(), view.active(), view.exports(), devices, view.lost());
  }

  private static NodeView restarted(NodeView view) {
    return with(view, NodeDevices.UNKNOWN);
  }

  private static NodeView losing(NodeView view, String... lost) {
    return new NodeView(view.self(), view.active(), view.exports(), view.devices(), Set.of(lost));
  }

  private static NodeView withoutExports(NodeView view) {
    return new NodeView(view.self(), view.active(), Map.of(), view.devices(), view.lost());
  }

  @Test
  void connectedNodesOfServingPoolHaveNothingToDo() {
    assertThat(next(SERVING, ON_A)).isEqualTo(PoolStep.of(Kind.DONE));
    assertThat(next(SERVING, ON_B)).isEqualTo(PoolStep.of(Kind.DONE));
  }

  @Test
  void firstUserOfIdlePoolClaimsIt() {
    PoolPlace idle = SERVING.idle();
    assertThat(PoolDecider.next(pool(idle, B), restarted(ON_B)))
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
  void restartedProcessAsksForTheNextGeneration() {
    assertThat(next(SERVING, restarted(ON_A))).isEqualTo(PoolStep.record(SERVING.renewed()));
    assertThat(next(SERVING, restarted(ON_B))).isEqualTo(PoolStep.record(SERVING.renewed()));
    assertThat(SERVING.renewed().generation()).isEqualTo(4);
    assertThat(SERVING.renewed().exports()).isEmpty();
    assertThat(SERVING.renewed().phase()).isEqualTo(PoolPlace.Phase.SERVING);
  }

  @Test
  void exporterThatHasEndedAsksForTheNextGeneration() {
    assertThat(next(SERVING, withoutExports(ON_A))).isEqualTo(PoolStep.record(SERVING.renewed()));
    assertThat(next(SERVING.renewed(), withoutExports(ON_A))).isEqualTo(PoolStep.of(Kind.EXPORT));
    PoolPlace none = SERVING.exporting(Map.of());
    assertThat(next(none, withoutExports(ON_A)))
        .as("without clients of the earlier process")
        .isEqualTo(PoolStep.of(Kind.EXPORT));
  }

  @Test
  void processConnectsOnceInAGenerationThatItHasClaimed() {
    NodeDevices claimed = NodeDevices.UNKNOWN.claiming(3);
    assertThat(next(SERVING, with(ON_B, claimed))).isEqualTo(PoolStep.of(Kind.CONNECT));
    assertThat(next(SERVING, with(ON_B, claimed.trying("blob"))))
        .as("an attempt whose end is not known")
        .isEqualTo(PoolStep.record(SERVING.renewed()));
    assertThat(next(SERVING, with(ON_B, LINKED.doubting(Set.of("blob")))))
        .as("a connection that was lost")
        .isEqualTo(PoolStep.record(SERVING.renewed()));
    assertThat(next(SERVING, with(ON_B, claimed.trying("blob").without("blob"))))
        .as("an attempt that did not reach the export")
        .isEqualTo(PoolStep.of(Kind.CONNECT));
  }

  @Test
  void restartedProcessConnectsBeforeItReleases() {
    PoolPlace holding = SERVING.holding(B);
    assertThat(next(holding, restarted(ON_B))).isEqualTo(PoolStep.record(holding.renewed()));
    PoolPlace renewed = holding.renewed();
    assertThat(renewed.phase()).isEqualTo(PoolPlace.Phase.HOLDING);
    assertThat(next(renewed, restarted(ON_B))).isEqualTo(PoolStep.waitFor(A));
    assertThat(next(renewed, withoutExports(ON_A))).isEqualTo(PoolStep.of(Kind.EXPORT));
    PoolPlace exported = renewed.exporting(Map.of("blob", new PoolAddress(A, "h", 1, 4)));
    PoolPlace claimed = exported.connected(B, 4);
    assertThat(next(exported, restarted(ON_B))).isEqualTo(PoolStep.record(claimed));
    NodeDevices devices = NodeDevices.UNKNOWN.claiming(4);
    assertThat(next(claimed, with(ON_B, devices))).isEqualTo(PoolStep.of(Kind.CONNECT));
    assertThat(next(claimed, with(ON_B, devices.trying("blob").connected("blob", SIZE))))
        .isEqualTo(PoolStep.of(Kind.RELEASE));
  }

  @Test
  void newExportIsRecordedBeforeOthersConnect() {
    PoolPlace none = SERVING.exporting(Map.of());
    assertThat(next(none, ON_A)).isEqualTo(PoolStep.record(SERVING));
    assertThat(next(none, restarted(ON_B))).isEqualTo(PoolStep.waitFor(A));
  }

  @Test
  void connectionIsRecordedBeforeItIsMade() {
    PoolPlace place = SERVING.released(B);
    assertThat(next(place, restarted(ON_B))).isEqualTo(PoolStep.record(SERVING));
  }

  @Test
  void grownBlobIsConnectedAgain() {
    NodeDevices smaller = NodeDevices.UNKNOWN.claiming(3).connected("blob", SIZE / 2);
    assertThat(next(SERVING, with(ON_A, smaller)))
        .as("on the active node, without an export")
        .isEqualTo(PoolStep.of(Kind.CONNECT));
    assertThat(next(SERVING, with(ON_B, smaller.trying("blob").connected("blob", SIZE / 2))))
        .isEqualTo(PoolStep.record(SERVING.renewed()));
  }

  @Test
  void allNodesReleaseTheirDevicesBeforeThePoolMoves() {
    PoolPlace holding = SERVING.holding(B);
    assertThat(next(holding, ON_A)).isEqualTo(PoolStep.of(Kind.RELEASE));
    assertThat(next(holding, with(ON_A, RELEASED))).isEqualTo(PoolStep.record(holding.released(A)));
    PoolPlace first = holding.released(A);
    assertThat(next(first, with(ON_A, RELEASED))).isEqualTo(PoolStep.waitFor(B));
    assertThat(next(first, ON_B)).isEqualTo(PoolStep.of(Kind.RELEASE));
    PoolPlace all = first.released(B);
    assertThat(next(all, with(ON_B, RELEASED))).isEqualTo(PoolStep.waitFor(A));
    assertThat(next(all, with(ON_A, RELEASED))).isEqualTo(PoolStep.record(all.moving(B)));
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
    assertThat(next(other, losing(with(ON_A, RELEASED), B)))
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
    assertThat(PoolDecider.next(pool, with(ON_B, RELEASED)))
        .isEqualTo(PoolStep.record(SERVING.released(B)));
  }
}
