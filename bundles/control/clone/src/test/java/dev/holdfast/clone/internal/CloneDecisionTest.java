package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first method of a copy that may share the snapshot of its source. */
class CloneDecisionTest {
  private static final String SNAPSHOT = "uid-of-s1";

  private static Volume copy() {
    Volume copy =
        Volume.of(
            "copy", VolumeSpec.EMPTY.withCloneMode(CloneMode.LINKED_CLONE).withNumberOfReplicas(3));
    return copy.withStatus(copy.status().withState(VolumeState.CREATING));
  }

  private static Replica shareable(ReplicaSpec spec) {
    Replica replica = Replica.of("copy-r", spec.withVolume("copy"));
    return replica.withStatus(
        replica.status().withLink(new ReplicaLink(SNAPSHOT, LinkState.POSSIBLE, "")));
  }

  private static CloneMethod first(Replica... replicas) {
    return new CloneDecision(copy(), List.of(replicas), SNAPSHOT).first();
  }

  @Test
  void copyWaitsUntilEachReplicaOfANodeIsCreated() {
    Replica one = shareable(ReplicaSpec.EMPTY.withNodeID("n1").withDiskID("d1"));
    assertThat(first(one)).isEqualTo(CloneMethod.UNDECIDED);
    assertThat(first(one, one, one)).isEqualTo(CloneMethod.LINK);
  }

  @Test
  void oneReplicaOnASharedDiskIsLinkedForAnyNumberOfReplicas() {
    Replica shared = shareable(ReplicaSpec.EMPTY.withDiskUUID("group-1"));
    assertThat(first(shared)).isEqualTo(CloneMethod.LINK);
    assertThat(first()).isEqualTo(CloneMethod.UNDECIDED);
  }
}
