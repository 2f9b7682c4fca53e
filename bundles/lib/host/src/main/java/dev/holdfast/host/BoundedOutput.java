package dev.holdfast.host;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Collects the output of a program up to a limit and discards the rest, so that the program never
 * blocks. A separate thread reads until the stream ends.
 */
final class BoundedOutput {
  /**
   * Separate threads, because a program's child that keeps its output open would block a pooled
   * thread.
   */
  static final Executor THREADS =
      task -> {
        Thread thread = new Thread(task, "holdfast-program");
        thread.setDaemon(true);
        thread.start();
      };

  private static final int CHUNK = 8192;
  private static final int LEFT_MILLIS = 1000;

  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final CountDownLatch end = new CountDownLatch(1);
  private final int limit;
  private boolean truncated;

  private BoundedOutput(int limit) {
    this.limit = limit;
  }

  static BoundedOutput of(InputStream stream, int limit) {
    BoundedOutput output = new BoundedOutput(limit);
    THREADS.execute(() -> output.read(stream));
    return output;
  }

  private void read(InputStream stream) {
    byte[] chunk = new byte[CHUNK];
    try (stream) {
      for (int read = stream.read(chunk); read >= 0; read = stream.read(chunk)) {
        keep(chunk, read);
      }
    } catch (IOException e) {
      // the program was killed; what it printed before is kept
    } finally {
      end.countDown();
    }
  }

  private synchronized void keep(byte[] chunk, int read) {
    int room = Math.min(read, limit - kept.size());
    kept.write(chunk, 0, room);
    truncated |= room < read;
  }

  /**
   * Returns the text of a program that has ended. Waits a limited time, because a child of it may
   * keep its output open.
   */
  String text() throws InterruptedException {
    boolean unused = end.await(LEFT_MILLIS, TimeUnit.MILLISECONDS);
    synchronized (this) {
      return kept.toString(StandardCharsets.UTF_8).strip();
    }
  }

  synchronized boolean truncated() {
    return truncated;
  }
}
