package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;

/** The free space of a simulated disk. */
final class SimulatedSpace {
  private volatile boolean full;
  private int room;
  private int refusals;

  boolean full() {
    return full;
  }

  /** Sets whether nothing can be allocated. */
  void setFull(boolean value) {
    full = value;
    room = 0;
  }

  /** Limits the blocks of 4 KiB that writes can allocate. */
  void setRoom(int blocks) {
    full = true;
    room = blocks;
  }

  /** Allocates blocks for a write. Returns the number of its bytes that fit. */
  int allocate(SimulatedFile file, long position, int length) {
    if (!full) {
      return length;
    }
    int fits = file.fits(position, length, room);
    room -= file.blocksNeeded(position, fits);
    return fits;
  }

  /** Rejects a new file on a full disk. */
  void require() throws IOException {
    if (full) {
      throw refused();
    }
  }

  /** Counts a rejected access. Returns its error. */
  synchronized IOException refused() {
    refusals++;
    notifyAll();
    return new IOException("No space left on device");
  }

  /** Waits until the given number of accesses was rejected in total. */
  synchronized void awaitRefusals(int count) throws InterruptedException {
    while (refusals < count) {
      wait();
    }
  }
}
