package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Executes some requests within the call, and others later on another thread. */
final class LaterBlockDevice extends ForwardingBlockDevice {
  private final Random random;

  LaterBlockDevice(BlockDevice below, Random random) {
    super(below);
    this.random = random;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    sometimesLater(() -> below().read(offset, target, completion));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    sometimesLater(() -> below().write(offset, source, flags, completion));
  }

  @Override
  public void flush(Completion completion) {
    sometimesLater(() -> below().flush(completion));
  }

  private void sometimesLater(Runnable request) {
    if (random.nextBoolean()) {
      request.run();
    } else {
      CompletableFuture<Void> unused = CompletableFuture.runAsync(request);
    }
  }
}
