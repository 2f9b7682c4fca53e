package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.sparse.internal.forward.ForwardedDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests that a node forwards to another node, which then releases the volume. */
@Timeout(60)
class ForwardedDeviceTest {
  private static final int SIZE = 4 << 20;

  @TempDir Path folder;
  private ForwardingLab lab;

  @BeforeEach
  void start() throws Exception {
    lab = new ForwardingLab(folder, true);
  }

  @AfterEach
  void stop() {
    lab.close();
  }

  /** Holds writes until they are released, with or without success. */
  private static final class StalledDevice extends ForwardingBlockDevice {
    private record Stalled(Runnable write, Completion completion) {}

    private final BlockingQueue<Stalled> stalled = new LinkedBlockingQueue<>();

    StalledDevice(BlockDevice below) {
      super(below);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      stalled.add(new Stalled(() -> below().write(offset, source, flags, completion), completion));
    }

    private Stalled next() throws InterruptedException {
      Stalled next = stalled.poll(30, TimeUnit.SECONDS);
      assertThat(next).as("a write").isNotNull();
      return next;
    }
  }

  private Admission admit(BlockDevice device) throws StorageException {
    return lab.nodes.admitted.admit(ForwardingLab.VOLUME, "node-1", device);
  }

  private static byte[] bytes(int length, long seed) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }

  private static Outcome write(BlockDevice device, long offset, byte[] content) {
    Outcome outcome = new Outcome();
    device.write(offset, DeviceIo.direct(content), IoFlags.FUA, outcome);
    return outcome;
  }

  @Test
  void onlyNamedNodesAreAdmittedAndEachOnce() throws Exception {
    assertThatThrownBy(lab::join).satisfies(e -> isForbidden(e));
    BlockDevice volume = lab.volume(SIZE);
    Admission other = lab.nodes.admitted.admit(ForwardingLab.VOLUME, "node-9", volume);
    assertThatThrownBy(lab::join).satisfies(e -> isForbidden(e));
    var unused = admit(volume);
    assertThatThrownBy(() -> admit(volume))
        .satisfies(e -> assertThat(((StorageException) e).code()).isEqualTo(ErrorCode.BUSY));
    other.close();
    assertThat(lab.join().size()).isEqualTo(SIZE);
  }

  private static void isForbidden(Throwable failure) {
    assertThat(((StorageException) failure).code()).isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void unansweredRequestsAreRepeatedAtTheNextNodeOfTheVolume() throws Exception {
    StalledDevice source = new StalledDevice(lab.volume(SIZE));
    Admission admission = admit(source);
    ForwardedDevice device = lab.join();
    byte[] content = bytes(8192, 1);
    Outcome write = write(device, 4096, content);
    StalledDevice.Stalled late = source.next();

    Thread given = takingBack(admission);
    late.completion().completed(new StorageException(ErrorCode.IO, "the volume is closed"));
    given.join();
    assertThat(write.calls()).as("told that the volume is closed").isZero();

    BlockDevice target = lab.volume(SIZE);
    device.redirect(target);
    write.get();
    assertThat(new DeviceIo(target).read(4096, content.length)).isEqualTo(content);
    byte[] next = bytes(4096, 2);
    new DeviceIo(device).write(0, next);
    assertThat(new DeviceIo(target).read(0, next.length)).isEqualTo(next);
    assertThat(write.calls()).isEqualTo(1);
  }

  @Test
  void requestOfAnEndedSessionHasNoEffect() throws Exception {
    StalledDevice source = new StalledDevice(lab.volume(SIZE));
    Admission admission = admit(source);
    ForwardedDevice device = lab.join();
    Outcome write = write(device, 0, bytes(4096, 3));
    StalledDevice.Stalled late = source.next();
    Thread given = takingBack(admission);
    assertThat(given.isAlive()).as("waits for the request at the device").isTrue();
    late.write().run();
    given.join();
    assertThatThrownBy(lab::join).satisfies(e -> isForbidden(e));
    device.close();
    assertThat(write.calls()).isEqualTo(1);
  }

  /** Revokes an admission, and waits until only the request at the device is in flight. */
  private static Thread takingBack(Admission admission) {
    Thread thread = new Thread(admission::close, "taking-back");
    thread.start();
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING
        && thread.isAlive()) {
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  void lostConnectionIsReestablishedWithoutLoss() throws Exception {
    BlockDevice volume = lab.volume(SIZE);
    var unused = admit(volume);
    ForwardedDevice device = lab.join();
    DeviceIo io = new DeviceIo(device);
    for (int round = 0; round < 20; round++) {
      CompletableFuture<Void> cut = CompletableFuture.runAsync(lab.nodes.admitted::endAll);
      byte[] content = bytes(64 << 10, round);
      io.write((long) round * content.length, content);
      io.flush();
      cut.get(30, TimeUnit.SECONDS);
      assertThat(io.read((long) round * content.length, content.length)).isEqualTo(content);
    }
    for (int round = 0; round < 20; round++) {
      byte[] content = bytes(64 << 10, round);
      assertThat(new DeviceIo(volume).read((long) round * content.length, content.length))
          .isEqualTo(content);
    }
  }

  @Test
  void closingEndsUnansweredRequests() throws Exception {
    StalledDevice source = new StalledDevice(lab.volume(SIZE));
    var unused = admit(source);
    ForwardedDevice device = lab.join();
    Outcome write = write(device, 0, bytes(4096, 4));
    StalledDevice.Stalled late = source.next();
    device.close();
    assertThatThrownBy(write::get).hasMessageContaining("not served on this node any more");
    assertThatThrownBy(() -> new DeviceIo(device).read(0, 4096))
        .hasMessageContaining("not served on this node any more");
    late.write().run();
    assertThat(write.calls()).isEqualTo(1);
  }
}
