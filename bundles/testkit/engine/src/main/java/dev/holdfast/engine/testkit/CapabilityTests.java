package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.RebuildableVolume;
import dev.holdfast.engine.ReclaimingVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.LastingExportEngine;
import dev.holdfast.engine.placement.PlacedVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The engine has the declared abilities and no others. */
abstract class CapabilityTests extends EngineTests {
  CapabilityTests(EngineLab lab) {
    super(lab);
  }

  @Test
  final void nameIsALabelAndStays() {
    assertThat(engine.name()).matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?").isEqualTo(engine.name());
    assertThat(engine.capabilities()).isEqualTo(engine.capabilities());
    ReservedNames.check(engine.name(), engine.getClass());
  }

  @Test
  final void durableEngineKeepsAcknowledgedWritesWhenItIsKilled() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(1 << 20);
    io(open(replicas)).write(4096, content);
    restartUncleanly();
    assertThat(engine.inspectReplica(replicas.get(0)).orElseThrow().clean())
        .as("clean flag of a replica whose engine was killed")
        .isFalse();
    try (OpenVolume volume = open(replicas)) {
      assertContent(io(volume).read(4096, content.length), content);
    }
    assertThat(engine.inspectReplica(replicas.get(0)).orElseThrow().clean())
        .as("clean flag of a replica whose volume was closed")
        .isTrue();
  }

  @Test
  final void engineThatKeepsDataDeclaresIt() throws Exception {
    assumeFalse(has(EngineCapability.DURABLE), "the engine declares DURABLE");
    List<ReplicaLocation> replicas = provisioned(1);
    byte[] content = bytes(4096);
    open(replicas);
    OpenVolume volume = open(replicas);
    io(volume).write(0, content);
    restartUncleanly();
    assertThat(keeps(replicas, content))
        .as("an engine without DURABLE keeps data when it is killed")
        .isFalse();
  }

  private boolean keeps(List<ReplicaLocation> replicas, byte[] content) {
    try (OpenVolume volume = open(replicas)) {
      return Arrays.equals(io(volume).read(0, content.length), content);
    } catch (StorageException e) {
      return false;
    }
  }

  @Test
  final void openVolumeCanDoWhatIsDeclaredAndNoMore() throws Exception {
    try (OpenVolume volume = open(provisioned(1))) {
      assertThat(volume instanceof SnapshotVolume)
          .as("the open volume is a SnapshotVolume")
          .isEqualTo(has(EngineCapability.SNAPSHOTS));
      assertThat(volume instanceof ExpandableVolume)
          .as("the open volume is a ExpandableVolume")
          .isEqualTo(has(EngineCapability.EXPANSION));
      assertThat(volume instanceof RebuildableVolume)
          .as("the open volume is a RebuildableVolume")
          .isEqualTo(has(EngineCapability.REBUILD));
      assertThat(volume instanceof ScrubbableVolume)
          .as("the open volume is a ScrubbableVolume")
          .isEqualTo(has(EngineCapability.SCRUBBING));
      assertThat(volume instanceof ReducibleVolume)
          .as("the open volume is a ReducibleVolume")
          .isEqualTo(has(EngineCapability.REPLICA_REMOVAL));
      assertThat(volume instanceof ReclaimingVolume)
          .as("the open volume is a ReclaimingVolume")
          .isEqualTo(has(EngineCapability.TRIM_RECLAIM));
      assertThat(volume instanceof HandoverVolume)
          .as("the open volume is a HandoverVolume")
          .isEqualTo(has(EngineCapability.HANDOVER));
      assertThat(volume instanceof PlacedVolume)
          .as("the open volume is a PlacedVolume")
          .isEqualTo(has(EngineCapability.PLACEMENT));
      assertThat(engine instanceof HandoverEngine).isEqualTo(has(EngineCapability.HANDOVER));
      assertThat(engine instanceof LinkedCloneEngine).isEqualTo(has(EngineCapability.LINKED_CLONE));
      assertThat(engine instanceof BaseEngine).isEqualTo(has(EngineCapability.BASES));
      assertThat(volume instanceof ExportingVolume).isEqualTo(has(EngineCapability.NATIVE_EXPORT));
      assertThat(has(EngineCapability.MULTI_NODE) && !has(EngineCapability.FORWARDING))
          .as("the engine admits many nodes and forwards for none")
          .isFalse();
      assertThat(engine instanceof LastingExportEngine)
          .isEqualTo(has(EngineCapability.LASTING_EXPORT));
      if (volume instanceof ExportingVolume exporting) {
        assertThat(exporting.protocols())
            .as("protocols of the open volume")
            .containsAll(engine.nativeProtocols());
      } else {
        assertThat(engine.nativeProtocols()).as("protocols without NATIVE_EXPORT").isEmpty();
      }
      assertThat(has(EngineCapability.NATIVE_EXPORT) || !has(EngineCapability.LASTING_EXPORT))
          .as("LASTING_EXPORT requires NATIVE_EXPORT")
          .isTrue();
    }
  }

  @Test
  final void replicaOnABaseIsRefusedByNameWithoutTheAbility() throws Exception {
    assumeFalse(has(EngineCapability.BASES), "the engine declares BASES");
    Map<String, String> options = new TreeMap<>();
    engine.options().forEach(option -> options.put(option.name(), option.defaultValue()));
    BaseContent content = new BaseContent(new BaseLocation("image-1", "u1", disk(1), "sum:1"));
    ReplicaRequest request = new ReplicaRequest(location(1), SIZE, content, options);
    assertThatThrownBy(() -> engine.provisionReplica(request))
        .as("a replica on a base, of an engine without BASES")
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(engine.name())
        .hasMessageContaining("image-1")
        .extracting(failure -> ((StorageException) failure).code())
        .isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(engine.inspectReplica(location(1))).as("a replica that was refused").isEmpty();
  }

  @Test
  final void severalReplicasAreServedAsDeclared() throws Exception {
    List<ReplicaLocation> replicas = provisioned(3);
    if (has(EngineCapability.REPLICATED)) {
      try (OpenVolume volume = open(replicas)) {
        assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(3);
      }
    } else {
      assertThat(failureOf(() -> open(replicas))).isEqualTo(ErrorCode.UNSUPPORTED);
    }
  }
}
