package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that writes numbered blocks, prints each acknowledged one, and is killed. */
final class KilledWriter {
  static final long SIZE = 64L << 20;
  static final int BLOCKS = 4_000;

  private KilledWriter() {}

  static List<ReplicaLocation> replicas(Path root) {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      replicas.add(new ReplicaLocation("v", "v-r-" + i, "n", root.resolve("disk-" + i), "v-" + i));
    }
    return replicas;
  }

  static byte[] block(long number) {
    ByteBuffer content = ByteBuffer.allocate(4096);
    while (content.hasRemaining()) {
      content.putLong(number);
    }
    return content.array();
  }

  /**
   * Returns the offset of a write. Offsets are spread over the whole volume, so that writes mark
   * regions.
   */
  static long offset(long number) {
    return number * 7_919 % BLOCKS * 16_384 % SIZE;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
    SparseEngine engine = new SparseEngine();
    InMemoryRegister register = new InMemoryRegister();
    List<ReplicaLocation> replicas = replicas(Path.of(arguments[0]));
    for (ReplicaLocation replica : replicas) {
      engine.provisionReplica(replica, SIZE);
    }
    OpenVolume volume =
        engine.open(new OpenRequest("v", SIZE, "n", replicas, register, new RecordingListener()));
    Membership record = register.record();
    out.println(
        record.generation()
            + " "
            + record.epochGeneration()
            + " "
            + record.epochNumber()
            + " "
            + String.join(",", record.members()));
    DeviceIo io = new DeviceIo(volume.device());
    for (long number = 1; ; number++) {
      io.write(offset(number), block(number));
      out.println(number);
    }
  }
}
