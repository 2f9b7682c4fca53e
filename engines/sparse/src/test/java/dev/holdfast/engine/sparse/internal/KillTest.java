package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a real process. */
@Tag("slow")
class KillTest {
  private static final int KILLED_AFTER = 3_000;

  @TempDir private Path root;

  @Test
  void everyAcknowledgedWriteOfAKilledProcessIsOnAllReplicas() throws Exception {
    InMemoryRegister register = new InMemoryRegister();
    long acknowledged = writeUntilKilled(register);
    SparseEngine engine = new SparseEngine();
    List<ReplicaLocation> replicas = KilledWriter.replicas(root);
    try (OpenVolume volume =
        engine.open(
            new OpenRequest(
                "v", KilledWriter.SIZE, "n", replicas, register, new RecordingListener()))) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(3);
      DeviceIo io = new DeviceIo(volume.device());
      Map<Long, Long> last = new HashMap<>();
      for (long number = 1; number <= acknowledged; number++) {
        last.put(KilledWriter.offset(number), number);
      }
      // The write in flight may have happened.
      last.remove(KilledWriter.offset(acknowledged + 1));
      for (Map.Entry<Long, Long> entry : last.entrySet()) {
        assertThat(
                Arrays.equals(io.read(entry.getKey(), 4096), KilledWriter.block(entry.getValue())))
            .as("write %d", entry.getValue())
            .isTrue();
      }
    }
    engine.stop();
    byte[] first = head(replicas.get(0));
    assertThat(Arrays.equals(head(replicas.get(1)), first)).isTrue();
    assertThat(Arrays.equals(head(replicas.get(2)), first)).isTrue();
  }

  private static byte[] head(ReplicaLocation replica) throws Exception {
    return Files.readAllBytes(replica.directory().resolve(LonghornLayout.FIRST_HEAD));
  }

  private long writeUntilKilled(InMemoryRegister register) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                root.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long acknowledged = 0;
    try (BufferedReader output = process.inputReader(StandardCharsets.US_ASCII)) {
      String[] record = output.readLine().split(" ", -1);
      register.put(
          new Membership(
              Long.parseLong(record[0]),
              "n",
              Long.parseLong(record[1]),
              Long.parseLong(record[2]),
              new TreeSet<>(Arrays.asList(record[3].split(",", -1)))));
      String line = output.readLine();
      while (line != null) {
        acknowledged = Long.parseLong(line);
        if (acknowledged == KILLED_AFTER) {
          // Process.destroyForcibly would close the stream that is being read.
          process.toHandle().destroyForcibly();
        }
        line = output.readLine();
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(acknowledged).isGreaterThanOrEqualTo(KILLED_AFTER);
    return acknowledged;
  }
}
