package dev.holdfast.share.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareStop;
import org.junit.jupiter.api.Test;

/** Successive claims to serve on one host. */
abstract class EpochsTopic {
  private final ShareServerKit kit;

  EpochsTopic(ShareServerKit kit) {
    this.kit = kit;
  }

  @Test
  void higherEpochReplacesALowerOne() throws Exception {
    ShareRequest request = kit.lab().request();
    kit.started(request.withEpoch(3));
    kit.started(request.withEpoch(4));
    assertThat(kit.server().instances()).containsExactly(new ShareInstance(request.volume(), 4));
    assertThat(kit.observe(request.withEpoch(3))).isEqualTo(ShareObservation.NOTHING);
  }

  @Test
  void lowerEpochIsRefusedAndChangesNothing() throws Exception {
    ShareRequest request = kit.lab().request();
    ShareRequest present = request.withEpoch(3);
    ShareInstance lower = new ShareInstance(request.volume(), 2);
    kit.started(present);
    ShareServerKit.assertFails(
        "start of a lower epoch",
        ErrorCode.CONFLICT,
        () -> kit.server().start(request.withEpoch(2), ShareServerKit.LIMIT));
    ShareServerKit.assertFails(
        "stop of a lower epoch",
        ErrorCode.CONFLICT,
        () -> kit.server().stop(lower, ShareStop.END, ShareServerKit.LIMIT));
    ShareServerKit.assertFails(
        "removal of a lower epoch", ErrorCode.CONFLICT, () -> kit.server().expel(lower));
    assertThat(kit.observe(present).serves()).isTrue();
  }

  @Test
  void removalOfAHigherEpochThanThePresentOneRemovesTheShare() throws Exception {
    ShareRequest request = kit.lab().request();
    kit.started(request);
    kit.server().expel(new ShareInstance(request.volume(), 7));
    kit.assertNothingIsLeft();
  }
}
