package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A volume of an engine that declares {@code EXPANSION} grows during use. */
abstract class ExpansionTests extends EngineTests {
  private static final long GROWN = SIZE + (32L << 20);

  ExpansionTests(EngineLab lab) {
    super(lab);
  }

  @BeforeEach
  final void checkDeclared() {
    assumeTrue(has(EngineCapability.EXPANSION), "the engine does not declare EXPANSION");
  }

  private List<ReplicaLocation> someReplicas() throws Exception {
    return provisioned(has(EngineCapability.REPLICATED) ? 2 : 1);
  }

  private ExpandableVolume volume(List<ReplicaLocation> replicas) throws StorageException {
    return (ExpandableVolume) open(replicas);
  }

  @Test
  final void grownVolumeKeepsItsContentAndReadsZeroesBeyond() throws Exception {
    List<ReplicaLocation> replicas = someReplicas();
    byte[] content = bytes(4096);
    byte[] beyond = bytes(4096);
    try (ExpandableVolume volume = volume(replicas)) {
      io(volume).write(SIZE - 4096, content);
      volume.expand(GROWN);
      volume.expand(GROWN);
      assertThat(volume.device().size()).isEqualTo(GROWN);
      assertContent(io(volume).read(SIZE - 4096, 4096), content);
      assertThat(io(volume).read(SIZE, 1 << 20)).containsOnly(0);
      io(volume).write(GROWN - 4096, beyond);
    }
    try (OpenVolume volume = open(replicas)) {
      assertThat(volume.device().size()).isEqualTo(GROWN);
      assertContent(io(volume).read(SIZE - 4096, 4096), content);
      assertContent(io(volume).read(GROWN - 4096, 4096), beyond);
    }
    for (ReplicaLocation replica : replicas) {
      assertThat(engine.inspectReplica(replica).orElseThrow().sizeBytes()).isEqualTo(GROWN);
    }
  }

  @Test
  final void writtenAfterGrowingSurvivesAKill() throws Exception {
    assumeTrue(has(EngineCapability.DURABLE), "the engine does not declare DURABLE");
    List<ReplicaLocation> replicas = someReplicas();
    byte[] beyond = bytes(4096);
    ExpandableVolume volume = volume(replicas);
    volume.expand(GROWN);
    io(volume).write(GROWN - 4096, beyond);
    restartUncleanly();
    try (OpenVolume next = open(replicas)) {
      assertThat(next.device().size()).isEqualTo(GROWN);
      assertContent(io(next).read(GROWN - 4096, 4096), beyond);
    }
  }

  @Test
  final void volumeDoesNotShrink() throws Exception {
    try (ExpandableVolume volume = volume(someReplicas())) {
      assertThat(failureOf(() -> volume.expand(SIZE - 4096))).isEqualTo(ErrorCode.INVALID);
      assertThat(failureOf(() -> volume.expand(SIZE + 1))).isEqualTo(ErrorCode.INVALID);
      assertThat(volume.device().size()).isEqualTo(SIZE);
    }
  }
}
