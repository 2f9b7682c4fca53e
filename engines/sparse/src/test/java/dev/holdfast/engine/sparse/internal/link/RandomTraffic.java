package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Many concurrent requests of all sizes, each on a separate range. Every read is compared with the
 * last written content.
 */
final class RandomTraffic {
  private static final int RANGES = 32;

  private final ReplicaSessionLink link;
  private final long total;
  private final int rangeBytes;
  private final List<Range> ranges = new ArrayList<>();
  private final Semaphore idle = new Semaphore(RANGES);
  private final AtomicReference<String> wrong = new AtomicReference<>();
  private final Random random = new Random(20261121);

  RandomTraffic(ReplicaSessionLink link, long size, long total) {
    this.link = link;
    this.total = total;
    this.rangeBytes = (int) (size / RANGES);
    for (int i = 0; i < RANGES; i++) {
      ranges.add(new Range(i));
    }
  }

  void run() throws Exception {
    long sent = 0;
    while (sent < total && wrong.get() == null) {
      assertThat(idle.tryAcquire(30, TimeUnit.SECONDS)).as("a request was answered").isTrue();
      Range range = ranges.stream().filter(Range::take).findFirst().orElseThrow();
      sent += range.next();
      if (idle.availablePermits() == 0 || random.nextInt(8) == 0) {
        link.endOfBatch();
      }
    }
    link.endOfBatch();
    assertThat(idle.tryAcquire(RANGES, 30, TimeUnit.SECONDS)).as("all were answered").isTrue();
    assertThat(wrong.get()).isNull();
    link.close();
  }

  /** A part of the volume with its expected content, for one request at a time. */
  private final class Range implements MemberCompletion {
    private final int number;
    private final byte[] expected = new byte[rangeBytes];
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(rangeBytes);
    private boolean busy;
    private boolean reads;
    private int from;
    private int length;

    Range(int number) {
      this.number = number;
    }

    synchronized boolean take() {
      boolean free = !busy;
      busy = true;
      return free;
    }

    int next() {
      reads = random.nextBoolean();
      int most = random.nextInt(20) == 0 ? rangeBytes : 32 << 10;
      length = 1 + random.nextInt(most);
      from = random.nextInt(rangeBytes - length + 1);
      long offset = (long) number * rangeBytes + from;
      if (reads) {
        link.read(offset, buffer, from, length, this);
      } else {
        byte[] content = new byte[length];
        random.nextBytes(content);
        System.arraycopy(content, 0, expected, from, length);
        buffer.put(from, content);
        link.write(offset, buffer, from, length, this);
      }
      return length;
    }

    @Override
    public void completed(StorageException failure, long done) {
      if (failure != null) {
        wrong.compareAndSet(null, failure.getMessage());
      } else if (reads && !same()) {
        wrong.compareAndSet(null, "range " + number + " differs at " + from + "+" + length);
      }
      synchronized (this) {
        busy = false;
      }
      idle.release();
    }

    private boolean same() {
      byte[] found = new byte[length];
      buffer.get(from, found);
      return java.util.Arrays.equals(found, 0, length, expected, from, from + length);
    }
  }
}
