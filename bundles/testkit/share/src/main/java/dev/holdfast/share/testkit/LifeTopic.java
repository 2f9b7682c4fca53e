package dev.holdfast.share.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareStop;
import dev.holdfast.share.WriteProbe;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Start, adoption, change and end of a share. */
abstract class LifeTopic {
  private static final int CYCLES = Boolean.getBoolean("holdfast.soak") ? 100 : 5;

  private final ShareServerKit kit;

  LifeTopic(ShareServerKit kit) {
    this.kit = kit;
  }

  @Test
  void protocolIsAWordAndTheHostMeetsAllRequirements() throws Exception {
    assertThat(kit.server().protocol()).matches("[a-z][a-z0-9-]*");
    assertThat(kit.server().missingPackages(Optional.empty())).isEmpty();
    assertThat(kit.server().missingPackages(Optional.of(kit.lab().request()))).isEmpty();
  }

  @Test
  void shareThatWasNeverStartedIsAbsent() throws Exception {
    ShareRequest request = kit.lab().request();
    assertThat(kit.observe(request)).isEqualTo(ShareObservation.NOTHING);
    assertThat(kit.server().instances()).isEmpty();
  }

  @Test
  void startServesAndARepetitionChangesNothing() throws Exception {
    ShareRequest request = kit.lab().request();
    ShareObservation first = kit.started(request);
    assertThat(first.current()).isTrue();
    assertThat(first.size()).isEqualTo(request.size());
    assertThat(first.endpoint())
        .startsWith(kit.server().protocol() + "://")
        .endsWith(":" + request.port() + "/" + request.volume());
    ShareObservation second = kit.started(request);
    assertThat(second.endpoint()).isEqualTo(first.endpoint());
    assertThat(kit.server().instances()).containsExactly(request.instance());
  }

  @Test
  void observationOfAnotherEpochIsAbsent() throws Exception {
    ShareRequest request = kit.lab().request();
    kit.started(request);
    assertThat(kit.observe(request.withEpoch(2))).isEqualTo(ShareObservation.NOTHING);
  }

  @Test
  void probeWritesUnderThePresentEpochOnly() throws Exception {
    ShareRequest request = kit.lab().request();
    assertThat(kit.probe(request)).isEqualTo(WriteProbe.NOT_MOUNTED);
    kit.started(request);
    assertThat(kit.probe(request)).isEqualTo(WriteProbe.WRITTEN);
    assertThat(kit.probe(request.withEpoch(2))).isEqualTo(WriteProbe.NOT_MOUNTED);
    assertThat(kit.observe(request).serves()).as("after the probe").isTrue();
  }

  @Test
  void shareServesOnWhileItsBundleIsReplaced() throws Exception {
    ShareRequest request = kit.lab().request();
    String endpoint = kit.started(request).endpoint();
    kit.lab().replace();
    assertThat(kit.server().instances()).containsExactly(request.instance());
    ShareObservation seen = kit.observe(request);
    assertThat(seen.serves()).as("adopted: %s", seen).isTrue();
    assertThat(seen.endpoint()).isEqualTo(endpoint);
    assertThat(kit.started(request).endpoint()).isEqualTo(endpoint);
  }

  @Test
  void otherClientsAreNotCurrentUntilTheNextStart() throws Exception {
    ShareRequest request = kit.lab().request();
    kit.started(request);
    ShareRequest other = request.withClients(List.of(AllowedClient.of("192.0.2.7")));
    ShareObservation before = kit.observe(other);
    assertThat(before.current()).isFalse();
    assertThat(before.serves()).as("still serves: %s", before).isTrue();
    assertThat(kit.started(other).current()).isTrue();
  }

  @Test
  void repairServesAgain() throws Exception {
    ShareRequest request = kit.lab().request();
    kit.started(request);
    kit.server().repair(request, ShareServerKit.LIMIT);
    assertThat(kit.observe(request).serves()).isTrue();
  }

  @Test
  void endOfAShareLeavesNothingEachTime() throws Exception {
    for (int cycle = 1; cycle <= CYCLES; cycle++) {
      ShareRequest request = kit.lab().request().withEpoch(cycle);
      kit.started(request);
      for (int call = 0; call < 2; call++) {
        end(request, cycle);
        assertThat(kit.observe(request)).isEqualTo(ShareObservation.NOTHING);
        kit.assertNothingIsLeft();
      }
    }
  }

  private void end(ShareRequest request, int cycle) throws Exception {
    switch (cycle % 3) {
      case 0 -> kit.server().expel(request.instance());
      case 1 -> kit.server().stop(request.instance(), ShareStop.END, ShareServerKit.LIMIT);
      default -> kit.server().stop(request.instance(), ShareStop.MOVE, ShareServerKit.LIMIT);
    }
  }
}
