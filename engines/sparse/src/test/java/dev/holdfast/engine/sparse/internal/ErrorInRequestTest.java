package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An {@code Error}, for example a lack of direct memory, fails only the request that caused it. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ErrorInRequestTest {
  private static final long SIZE = 64L << 20;
  private static final int BLOCK = 4096;
  private static final byte[] CONTENT = {1, 2, 3, 4};

  @TempDir private Path disks;
  private final FragileDirectories directories =
      new FragileDirectories(FragileDirectories.noneBroken());
  private final SparseEngine engine =
      new SparseEngine(
          directories::open,
          "the same boot",
          Executors.newCachedThreadPool(),
          Duration.ofMillis(20),
          SparseEngine::noWay);
  private final List<ReplicaLocation> replicas = new ArrayList<>();

  @AfterEach
  void stop() {
    engine.stop();
  }

  private OpenVolume open(int count) throws Exception {
    for (int number = 1; number <= count; number++) {
      Path disk = Files.createDirectories(disks.resolve("disk-" + number));
      ReplicaLocation replica =
          new ReplicaLocation("vol", "r-" + number, "node-1", disk, "vol-" + number);
      engine.provisionReplica(replica, SIZE);
      replicas.add(replica);
    }
    return engine.open(
        new OpenRequest(
            "vol", SIZE, "node-1", replicas, new InMemoryRegister(), new RecordingListener()));
  }

  private void throwNext(int number) {
    directories.throwNext(
        replicas.get(number - 1).directory(), new Error("planted in r-" + number));
  }

  private static CompletableFuture<StorageException> write(OpenVolume volume) {
    CompletableFuture<StorageException> outcome = new CompletableFuture<>();
    volume.device().write(0, ByteBuffer.allocateDirect(BLOCK), IoFlags.NONE, outcome::complete);
    return outcome;
  }

  private static CompletableFuture<StorageException> read(OpenVolume volume) {
    CompletableFuture<StorageException> outcome = new CompletableFuture<>();
    volume.device().read(0, ByteBuffer.allocateDirect(BLOCK), outcome::complete);
    return outcome;
  }

  @Test
  void singleReplicaFailsTheWriteAndServesOn() throws Exception {
    OpenVolume volume = open(1);
    DeviceIo io = new DeviceIo(volume.device());
    io.write(0, CONTENT);
    throwNext(1);
    assertThat(write(volume).get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.INTERNAL);
    io.write(0, CONTENT);
    io.flush();
    assertThat(io.read(0, CONTENT.length)).isEqualTo(CONTENT);
    // Waits until all requests have left. A request that did not release its ticket would block it
    // forever.
    volume.close();
  }

  @Test
  void singleReplicaFailsTheReadAndServesOn() throws Exception {
    OpenVolume volume = open(1);
    DeviceIo io = new DeviceIo(volume.device());
    io.write(0, CONTENT);
    throwNext(1);
    assertThat(read(volume).get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(io.read(0, CONTENT.length)).isEqualTo(CONTENT);
    volume.close();
  }

  @Test
  void writeSucceedsWithoutTheReplicaThatMetTheError() throws Exception {
    OpenVolume volume = open(2);
    DeviceIo io = new DeviceIo(volume.device());
    io.write(0, CONTENT);
    throwNext(2);
    assertThat(write(volume).get(30, TimeUnit.SECONDS)).isNull();
    assertThat(volume.replicas()).containsEntry("r-2", MemberMode.ERR);
    io.write(0, CONTENT);
    assertThat(io.read(0, CONTENT.length)).isEqualTo(CONTENT);
    volume.close();
  }

  @Test
  void readThatMeetsTheErrorOnEachReplicaFailsAlone() throws Exception {
    OpenVolume volume = open(2);
    DeviceIo io = new DeviceIo(volume.device());
    io.write(0, CONTENT);
    directories.forget(replicas.get(0).directory());
    directories.forget(replicas.get(1).directory());
    throwNext(1);
    throwNext(2);
    assertThat(read(volume).get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(io.read(0, CONTENT.length)).isEqualTo(CONTENT);
    volume.close();
  }
}
