package dev.holdfast.lvm.testkit;

import dev.holdfast.host.HostProcess;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * A program that prints a text and ends.
 *
 * @param text its output
 */
public record PrintingProcess(String text) implements HostProcess {
  @Override
  public OutputStream input() {
    return OutputStream.nullOutputStream();
  }

  @Override
  public InputStream output() {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public CompletableFuture<Integer> exit() {
    return CompletableFuture.completedFuture(0);
  }

  @Override
  public void kill() {}
}
