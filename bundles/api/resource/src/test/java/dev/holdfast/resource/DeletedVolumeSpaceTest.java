package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The replicas that count as content of a deleted volume. */
class DeletedVolumeSpaceTest {
  private static final DeletedVolumeSpec SPEC =
      DeletedVolumeSpec.EMPTY.withActualSize(Quantity.parse("3Gi"));

  private static DeletedVolume deleted(String uid) {
    DeletedVolume deleted = DeletedVolume.of("films", SPEC);
    return deleted.withMetadata(deleted.metadata().withUid(uid));
  }

  private static Replica replica(DeletedVolume owner, boolean witness) {
    Replica replica = Replica.of("r", ReplicaSpec.EMPTY.withVolume("films").withWitness(witness));
    return replica.withMetadata(
        replica.metadata().withOwnerReferences(List.of(OwnerReference.controller(owner))));
  }

  @Test
  void ownReplicasCountWithoutWitnesses() {
    DeletedVolume deleted = deleted("a");
    List<Replica> replicas =
        List.of(replica(deleted, false), replica(deleted, false), replica(deleted, true));
    assertThat(deleted.spaceOn(replicas)).isEqualTo(Quantity.parse("6Gi"));
  }

  @Test
  void replicasOfAnotherVolumeOfTheNameDoNotCount() {
    assertThat(deleted("a").spaceOn(List.of(replica(deleted("b"), false))))
        .isEqualTo(Quantity.ZERO);
    assertThat(deleted("").spaceOn(List.of(replica(deleted(""), false)))).isEqualTo(Quantity.ZERO);
  }
}
