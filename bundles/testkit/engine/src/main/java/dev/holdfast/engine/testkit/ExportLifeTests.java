package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.error.ErrorCode;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Exports continue across a hand-over, and without an engine if the engine declares it. */
abstract class ExportLifeTests extends ExportKitTests {
  private static final int ROUNDS = 4;

  ExportLifeTests(EngineLab lab) {
    super(lab);
  }

  private void requireLasting() {
    assumeTrue(has(EngineCapability.LASTING_EXPORT), "the engine does not declare LASTING_EXPORT");
  }

  @Test
  final void requestsContinueWhileEnginesReplaceEachOther() throws Exception {
    assumeTrue(has(EngineCapability.HANDOVER), "the engine does not declare HANDOVER");
    List<ReplicaLocation> replicas = provisioned(1);
    EngineProvider next = lab.start();
    ExportingVolume volume = exporting(replicas);
    List<URI> endpoints = export(volume).endpoints();
    WritingHost host = new WritingHost(connect(export(volume)), 0, threads);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        host.awaitProgress();
        volume = resumed(round % 2 == 0 ? next : engine, replicas, volume, round < ROUNDS / 2);
        assertThat(export(volume).endpoints()).isEqualTo(endpoints);
        export(volume).hold(Duration.ofSeconds(30)).close();
        host.awaitProgress();
      }
      host.finish();
    } finally {
      volume.close();
      lab.stop(next);
    }
    assertThat(register.record().generation()).isEqualTo(1);
  }

  @Test
  final void exportServesWhileNoEngineRunsAndIsAdopted() throws Exception {
    requireLasting();
    List<ReplicaLocation> replicas = provisioned(1);
    ExportingVolume volume = exporting(replicas);
    List<URI> endpoints = export(volume).endpoints();
    WritingHost host = new WritingHost(connect(export(volume)), 0, threads);
    for (int round = 0; round < 2; round++) {
      lab.kill(engine);
      host.awaitProgress();
      engine = lab.start();
      assertThat(lasting().leftServing(replicas.get(0))).isEqualTo(OptionalLong.of(1));
      volume = (ExportingVolume) lasting().adopt(again(replicas));
      assertThat(export(volume).endpoints()).isEqualTo(endpoints);
      byte[] content = bytes(4096);
      io(volume).write(SIZE - 4096, content);
      assertThat(connect(export(volume)).read(SIZE - 4096, 4096)).isEqualTo(content);
      host.awaitProgress();
    }
    host.finish();
    assertThat(register.record().generation()).isEqualTo(1);
    NativeExport export = export(volume);
    volume.close();
    assertThat(connects(export)).as("the volume is closed").isFalse();
    assertThat(lasting().leftServing(replicas.get(0))).isEmpty();
  }

  @Test
  final void adoptionEndsAHoldThatWasLeft() throws Exception {
    requireLasting();
    List<ReplicaLocation> replicas = provisioned(1);
    NativeExport export = export(exporting(replicas));
    HostConnection host = connect(export);
    export.hold(Duration.ofSeconds(30));
    restartUncleanly();
    byte[] content = bytes(4096);
    try (ExportingVolume volume = (ExportingVolume) lasting().adopt(again(replicas))) {
      assertThat(export(volume).endpoints()).isEqualTo(export.endpoints());
      host.write(0, content);
      assertThat(io(volume).read(0, 4096)).isEqualTo(content);
    }
  }

  @Test
  final void exportOfAnEarlierGenerationIsWithdrawnInsteadOfAdopted() throws Exception {
    requireLasting();
    List<ReplicaLocation> replicas = provisioned(1);
    NativeExport export = export(exporting(replicas));
    HostConnection host = connect(export);
    restartUncleanly();
    Membership now = register.record();
    register.put(
        new Membership(
            now.generation() + 1,
            "node-2",
            now.epochGeneration(),
            now.epochNumber(),
            new TreeSet<>(now.members())));
    assertThat(failureOf(() -> lasting().adopt(again(replicas)))).isEqualTo(ErrorCode.CONFLICT);
    assertThat(writes(host, 0, bytes(4096))).as("another node serves the volume").isFalse();
    assertThat(connects(export)).as("another node serves the volume").isFalse();
    assertThat(lasting().leftServing(replicas.get(0))).isEmpty();
  }

  @Test
  final void withoutTheRegisterNothingIsAdoptedAndNothingEnds() throws Exception {
    requireLasting();
    List<ReplicaLocation> replicas = provisioned(1);
    HostConnection host = connect(export(exporting(replicas)));
    restartUncleanly();
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    assertThat(failureOf(() -> lasting().adopt(again(replicas)))).isEqualTo(ErrorCode.UNREACHABLE);
    host.write(0, bytes(4096));
    register.become(InMemoryRegister.Mode.REACHABLE);
    lasting().adopt(again(replicas)).close();
  }

  @Test
  final void whatWasLeftIsWithdrawnOnRequestAndByAnOpening() throws Exception {
    requireLasting();
    List<ReplicaLocation> replicas = provisioned(1);
    HostConnection host = connect(export(exporting(replicas)));
    assertThat(failureOf(() -> lasting().withdrawLeft(replicas.get(0)))).isEqualTo(ErrorCode.BUSY);
    restartUncleanly();
    lasting().withdrawLeft(replicas.get(0));
    lasting().withdrawLeft(replicas.get(0));
    assertThat(writes(host, 0, bytes(4096))).as("what was left is withdrawn").isFalse();
    assertThat(failureOf(() -> lasting().adopt(again(replicas)))).isEqualTo(ErrorCode.NOT_FOUND);
    HostConnection other = connect(export(exporting(replicas)));
    restartUncleanly();
    try (ExportingVolume volume = exporting(replicas)) {
      assertThat(writes(other, 0, bytes(4096))).as("a later opening serves").isFalse();
      assertThat(io(volume).read(0, 4096)).containsOnly(0);
    }
  }
}
