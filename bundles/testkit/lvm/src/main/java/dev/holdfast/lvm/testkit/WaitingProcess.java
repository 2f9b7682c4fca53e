package dev.holdfast.lvm.testkit;

import dev.holdfast.host.HostProcess;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;

/** A program that runs an action at the end of its input. */
final class WaitingProcess implements HostProcess {
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private final Runnable action;

  WaitingProcess(Runnable action) {
    this.action = action;
  }

  @Override
  public OutputStream input() {
    return new OutputStream() {
      @Override
      public void write(int value) {}

      @Override
      public void close() {
        if (!exit.isDone()) {
          action.run();
          exit.complete(0);
        }
      }
    };
  }

  @Override
  public InputStream output() {
    return InputStream.nullInputStream();
  }

  @Override
  public CompletableFuture<Integer> exit() {
    return exit;
  }

  @Override
  public void kill() {
    exit.complete(137);
  }
}
