package dev.holdfast.itests.powercut;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All requests to the volume and their replies, and the permitted contents of each sector: the last
 * content that an acknowledged flush or FUA covered, or any later one. What was read once after a
 * cut is the only possible content from then on.
 */
final class History {
  private final Map<Long, Request> requests = new TreeMap<>();
  private final List<List<Long>> possible = new ArrayList<>();
  private final long[] acknowledged = new long[Sectors.COUNT];

  // Of this life: acknowledged and not yet covered, and what each flush in flight will cover.
  private final TreeMap<Long, Request> uncovered = new TreeMap<>();
  private final Map<Long, Map<Long, Request>> flushing = new TreeMap<>();
  private int life;
  private long acknowledgements;
  private long barriers;
  private long dropped;

  History() {
    for (int sector = 0; sector < Sectors.COUNT; sector++) {
      possible.add(new ArrayList<>(List.of(Sectors.ZERO)));
    }
  }

  /** The power is on again: no request of the last life is in flight. */
  void begin(int number) {
    life = number;
    uncovered.clear();
    flushing.clear();
  }

  long acknowledgements() {
    return acknowledgements;
  }

  /** Returns how many acknowledged requests promised durability. */
  long barriers() {
    return barriers;
  }

  /** Returns how many times a sector's acknowledged content, not covered, was gone after a cut. */
  long dropped() {
    return dropped;
  }

  void sent(Request request) {
    long number = Sectors.number(life, request.sequence());
    requests.put(number, request);
    for (int sector = request.first(); sector < request.first() + request.count(); sector++) {
      possible.get(sector).add(number);
    }
    if (request.kind() == Request.Kind.FLUSH) {
      flushing.put(number, new TreeMap<>(uncovered));
    }
  }

  void acknowledged(int sequence) {
    long number = Sectors.number(life, sequence);
    Request request = requests.get(number);
    acknowledgements++;
    for (int sector = request.first(); sector < request.first() + request.count(); sector++) {
      acknowledged[sector] = number;
    }
    if (request.kind() == Request.Kind.FLUSH) {
      flushing.remove(number).forEach(this::cover);
    } else if (request.fua()) {
      cover(number, request);
    } else {
      uncovered.put(number, request);
    }
    barriers += request.barrier() ? 1 : 0;
  }

  /** The volume was closed in order, which makes everything durable. */
  void closed() {
    new TreeMap<>(uncovered).forEach(this::cover);
    barriers++;
  }

  private void cover(long number, Request request) {
    uncovered.remove(number);
    for (int sector = request.first(); sector < request.first() + request.count(); sector++) {
      List<Long> contents = possible.get(sector);
      int at = contents.indexOf(number);
      if (at > 0 && request.certainAt(sector)) {
        contents.subList(0, at).clear();
      }
    }
  }

  /** Compares the whole volume, as it was read after a cut; returns what must not be. */
  List<String> observe(Path content) {
    List<String> problems = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.allocate((int) Sectors.VOLUME_BYTES);
    try (FileChannel file = FileChannel.open(content)) {
      while (bytes.hasRemaining() && file.read(bytes) >= 0) {}
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (bytes.flip().remaining() != Sectors.VOLUME_BYTES) {
      throw new IllegalStateException("the guest handed over only " + bytes + " bytes");
    }
    for (int sector = 0; sector < Sectors.COUNT; sector++) {
      long seen = Sectors.take(bytes, sector);
      if (!allowed(sector, seen)) {
        problems.add(problem(sector, seen));
      }
      countDropped(sector, seen);
      possible.get(sector).clear();
      possible.get(sector).add(seen);
      acknowledged[sector] = seen;
    }
    return problems;
  }

  private boolean allowed(int sector, long seen) {
    List<Long> contents = possible.get(sector);
    return seen == Sectors.ZERO
        ? contents.stream().anyMatch(this::isZero)
        : seen != Sectors.GARBAGE && contents.contains(seen) && !isZero(seen);
  }

  private boolean isZero(long number) {
    return number == Sectors.ZERO
        || (requests.containsKey(number) && requests.get(number).kind() != Request.Kind.WRITE);
  }

  private void countDropped(int sector, long seen) {
    List<Long> contents = possible.get(sector);
    int newest = contents.indexOf(acknowledged[sector]);
    if (seen != Sectors.ZERO && newest > contents.indexOf(seen)) {
      dropped++;
    } else if (seen == Sectors.ZERO && newest > 0 && !isZero(acknowledged[sector])) {
      dropped++;
    }
  }

  private String problem(int sector, long seen) {
    List<String> expected = possible.get(sector).stream().map(this::name).toList();
    return "sector " + sector + " holds " + name(seen) + ", not one of " + expected;
  }

  private String name(long number) {
    if (number == Sectors.ZERO || number == Sectors.GARBAGE) {
      return number == Sectors.ZERO ? "zeroes" : "garbage";
    }
    Request request = requests.get(number);
    String what = request == null ? " (never sent)" : " (" + request.line() + ")";
    return Sectors.life(number) + "." + Sectors.sequence(number) + what;
  }
}
