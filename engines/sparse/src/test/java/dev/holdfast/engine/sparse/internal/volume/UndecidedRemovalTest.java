package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReducibleVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A replica whose removal could not be recorded (seed 6589). */
@Timeout(60)
class UndecidedRemovalTest {
  @TempDir Path disks;

  private static Epoch epoch(ReplicaLocation replica) throws Exception {
    return StateFiles.load(
            new LocalReplicaDirectory(replica.directory()), StateFiles.EPOCH, Epoch.class)
        .orElseThrow();
  }

  @Test
  void everyStartRequiresTheReplicaThatEveryWriteNeeds() throws Exception {
    try (OneNode node = new OneNode(disks, 2);
        OpenVolume volume = node.open()) {
      for (InMemoryRegister.Mode mode :
          new InMemoryRegister.Mode[] {
            InMemoryRegister.Mode.UNREACHABLE, InMemoryRegister.Mode.ANSWERS_LOST
          }) {
        node.register().become(mode);
        assertThatThrownBy(() -> ((ReducibleVolume) volume).removeReplica("r-2"))
            .isInstanceOf(StorageException.class)
            .hasMessageContaining("stays a member");
        assertThat(epoch(node.replica(1)).members()).hasSize(2);
        assertThat(epoch(node.replica(2))).isEqualTo(epoch(node.replica(1)));
        assertThat(epoch(node.replica(1))).isGreaterThan(Epoch.of(node.register().record()));
      }
      node.register().become(InMemoryRegister.Mode.REACHABLE);
      ((ReducibleVolume) volume).removeReplica("r-2");
      assertThat(node.register().record().members()).hasSize(1);
    }
  }
}
