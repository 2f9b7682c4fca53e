package dev.holdfast.itests.powercut;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Random;

/**
 * Sends random requests to a device from several threads, and reports each before it is sent and
 * after it was acknowledged. No two requests in flight touch the same sector, so that the order of
 * the report is the order of the effects.
 */
final class Writer {
  private static final int LARGEST = 512;
  private static final int HOT_SECTORS = 768;
  private static final int REGION_SECTORS = (16 << 20) / Sectors.SIZE;

  private final BlockDevice device;
  private final Report report;
  private final Life life;

  // Guarded by this.
  private final BitSet busy = new BitSet(Sectors.COUNT);
  private int sequence;

  Writer(BlockDevice device, Report report, Life life) {
    this.device = device;
    this.report = report;
    this.life = life;
  }

  /** Sends so many requests, one after the other. */
  void run(long seed, int requests) throws StorageException {
    Random random = new Random(seed);
    ByteBuffer buffer = ByteBuffer.allocateDirect(LARGEST * Sectors.SIZE);
    for (int i = 0; i < requests; i++) {
      Request request = begin(random);
      Outcome outcome = new Outcome();
      send(request, buffer, outcome);
      outcome.get();
      end(request);
    }
  }

  private synchronized Request begin(Random random) {
    Request.Kind kind = kind(random);
    boolean fua = kind != Request.Kind.FLUSH && random.nextInt(12) == 0 && life.barriers().fua();
    int first = 0;
    int count = 0;
    if (kind != Request.Kind.FLUSH) {
      do {
        count = count(random);
        first = first(random, count);
      } while (busy.get(first, first + count).cardinality() > 0);
      busy.set(first, first + count);
    }
    Request request = new Request(kind, ++sequence, first, count, fua);
    report.line(request.line());
    return request;
  }

  private synchronized void end(Request request) {
    report.line(Report.ACKNOWLEDGED + " " + request.sequence());
    busy.clear(request.first(), request.first() + request.count());
  }

  private Request.Kind kind(Random random) {
    return switch (random.nextInt(24)) {
      case 0 -> life.barriers().flushes() ? Request.Kind.FLUSH : Request.Kind.WRITE;
      case 1, 2 -> Request.Kind.ZERO;
      case 3, 4 -> Request.Kind.TRIM;
      default -> Request.Kind.WRITE;
    };
  }

  private static int count(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> Sectors.PER_BLOCK * (1 + random.nextInt(LARGEST / Sectors.PER_BLOCK));
      case 1, 2, 3 -> Sectors.PER_BLOCK * (1 + random.nextInt(4));
      default -> 1 + random.nextInt(3 * Sectors.PER_BLOCK);
    };
  }

  // Half of the requests meet each other in a few places, the others go anywhere.
  private static int first(Random random, int count) {
    int last = Sectors.COUNT - count;
    int any = random.nextInt(last + 1);
    int hot = any / REGION_SECTORS * REGION_SECTORS + random.nextInt(HOT_SECTORS);
    int first = random.nextBoolean() ? Math.min(hot, last) : any;
    return count % Sectors.PER_BLOCK == 0 && random.nextInt(4) != 0
        ? first / Sectors.PER_BLOCK * Sectors.PER_BLOCK
        : first;
  }

  private void send(Request request, ByteBuffer buffer, Outcome outcome) {
    long offset = (long) request.first() * Sectors.SIZE;
    long length = (long) request.count() * Sectors.SIZE;
    int flags = request.fua() ? IoFlags.FUA : IoFlags.NONE;
    switch (request.kind()) {
      case WRITE -> {
        buffer.clear();
        long number = Sectors.number(life.number(), request.sequence());
        for (int i = 0; i < request.count(); i++) {
          Sectors.put(buffer, number, request.first() + i);
        }
        device.write(offset, buffer.flip(), flags, outcome);
      }
      case ZERO -> device.writeZeroes(offset, length, flags, outcome);
      case TRIM -> device.trim(offset, length, flags, outcome);
      case FLUSH -> device.flush(outcome);
    }
  }
}
