package dev.holdfast.itests.powercut;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The program in the machine whose power is cut. It opens the volume on its three disks with the
 * real engine, sends the content to the host, and writes until the power cut or until its requests
 * are done.
 */
final class Machine {
  private static final String VOLUME = "cut";
  private static final int WRITERS = 3;
  private static final int PIECE = 1 << 20;

  private final Path disks;
  private final Path shared;
  private final Report report = new Report();

  private Machine(Path disks, Path shared) {
    this.disks = disks;
    this.shared = shared;
  }

  /**
   * Arguments: directory of the mounted disks, directory shared with the host, and a {@link Life}.
   */
  public static void main(String[] arguments) throws InterruptedException {
    Machine machine = new Machine(Path.of(arguments[0]), Path.of(arguments[1]));
    try {
      machine.live(Life.parse(List.of(arguments).subList(2, arguments.length)));
    } catch (StorageException | IOException | ExecutionException | RuntimeException e) {
      e.printStackTrace();
      machine.report.failed(e);
    }
  }

  private void live(Life life)
      throws StorageException, IOException, ExecutionException, InterruptedException {
    SparseEngine engine = new SparseEngine();
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (String disk : List.of("a", "b", "c")) {
      ReplicaLocation replica =
          new ReplicaLocation(VOLUME, VOLUME + "-r-" + disk, "node", disks.resolve(disk), VOLUME);
      engine.provisionReplica(replica, Sectors.VOLUME_BYTES);
      replicas.add(replica);
    }
    report.line(Report.OPENING);
    OpenVolume volume =
        engine.open(
            new OpenRequest(
                VOLUME,
                Sectors.VOLUME_BYTES,
                "node",
                replicas,
                new FileRegister(disks.resolve("d/register")),
                listener()));
    if (!volume.replicas().values().stream().allMatch(MemberMode.RW::equals)) {
      throw new IllegalStateException("not all replicas are current: " + volume.replicas());
    }
    report.line(Report.OPENED);
    compare(replicas);
    copy(volume.device());
    report.line(Report.CONTENT);
    write(life, volume.device());
    volume.close();
    compare(replicas);
    report.line(Report.CLOSED);
  }

  private void write(Life life, BlockDevice device)
      throws ExecutionException, InterruptedException {
    Writer writer = new Writer(life.mutation().of(device), report, life);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      long seed = life.seed() * WRITERS + i;
      running.add(
          threads.submit(
              () -> {
                writer.run(seed, life.requests() / WRITERS);
                return null;
              }));
    }
    threads.shutdown();
    for (Future<?> writing : running) {
      writing.get();
    }
  }

  /** Reads the whole volume through the engine into a file that the host reads. */
  private void copy(BlockDevice device) throws StorageException, IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
    try (FileChannel file =
        FileChannel.open(
            shared.resolve("content"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long at = 0; at < Sectors.VOLUME_BYTES; at += PIECE) {
        Outcome outcome = new Outcome();
        device.read(at, buffer.clear(), outcome);
        outcome.get();
        buffer.flip();
        while (buffer.hasRemaining()) {
          file.write(buffer, at + buffer.position());
        }
      }
      file.force(true);
    }
  }

  /** Looks past the engine: the images of all replicas must be the same bytes. */
  private void compare(List<ReplicaLocation> replicas) throws IOException {
    Path first = image(replicas.get(0));
    for (ReplicaLocation replica : replicas.subList(1, replicas.size())) {
      long at = Files.mismatch(first, image(replica));
      if (at >= 0) {
        report.line(Report.DIFFERENT + " " + replica.replica() + " at byte " + at);
      }
    }
  }

  private static Path image(ReplicaLocation replica) throws IOException {
    try (var files = Files.newDirectoryStream(replica.directory(), "volume-*.img")) {
      List<Path> images = new ArrayList<>();
      files.forEach(images::add);
      if (images.size() != 1) {
        throw new IllegalStateException("not one image in a replica without snapshots: " + images);
      }
      return images.get(0);
    }
  }

  private EngineListener listener() {
    return new EngineListener() {
      @Override
      public void replicaChanged(String replica, MemberMode mode, String reason) {
        report.line(Report.FAILED + " replica " + replica + " became " + mode + ": " + reason);
      }

      @Override
      public void failed(StorageException cause) {
        report.failed(cause);
      }
    };
  }
}
