package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Writes blocks that contain the number of their write, records the acknowledged ones, and checks a
 * device: each block contains its last acknowledged write, or the complete one that was in flight
 * when the server stopped. At most one write per block is under way.
 */
final class VerifiedWrites {
  static final int BLOCK = 4096;
  private static final int DEPTH = 16;

  private final int blocks;
  private final Random random;
  private final AtomicLong serial = new AtomicLong();
  private final AtomicLongArray acknowledged;
  private final AtomicLongArray underWay;
  private final AtomicLong acknowledgements = new AtomicLong();

  VerifiedWrites(int blocks, long seed) {
    this.blocks = blocks;
    this.random = new Random(seed);
    this.acknowledged = new AtomicLongArray(blocks);
    this.underWay = new AtomicLongArray(blocks);
  }

  long acknowledgements() {
    return acknowledgements.get();
  }

  /** Writes until the server disconnects. */
  void writeUntilDisconnected(URI uri) throws IOException {
    Semaphore room = new Semaphore(DEPTH);
    try (NbdConnection connection = new NbdConnection(uri)) {
      Thread receiver = new Thread(() -> receive(connection, room), "acknowledgements");
      receiver.start();
      try {
        while (receiver.isAlive()) {
          room.acquire();
          send(connection);
        }
      } catch (IOException serverGone) {
        assertThat(acknowledgements()).isPositive();
      } finally {
        receiver.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(NbdConnection connection) throws IOException {
    int block = random.nextInt(blocks);
    while (underWay.get(block) != 0) {
      block = (block + 1) % blocks;
    }
    long number = serial.incrementAndGet();
    underWay.set(block, number);
    connection.sendWrite(block, (long) block * BLOCK, content(block, number), false);
  }

  private void receive(NbdConnection connection, Semaphore room) {
    try {
      while (true) {
        NbdConnection.Reply reply = connection.receive();
        int block = Math.toIntExact(reply.handle());
        if (reply.error() == 0) {
          acknowledged.set(block, underWay.get(block));
          underWay.set(block, 0);
          acknowledgements.incrementAndGet();
        }
        room.release();
      }
    } catch (IOException serverGone) {
      room.release(DEPTH);
    }
  }

  /** Fails unless the device holds what was acknowledged; then takes what it holds as given. */
  void verify(URI uri) throws IOException {
    try (NbdConnection connection = new NbdConnection(uri)) {
      for (int block = 0; block < blocks; block++) {
        verify(block, connection.read((long) block * BLOCK, BLOCK));
      }
    }
  }

  private void verify(int block, byte[] found) {
    long number = ByteBuffer.wrap(found).getLong(0);
    assertThat(number)
        .as("block %d: the write that it holds", block)
        .isIn(acknowledged.get(block), pending(block));
    assertThat(found)
        .as("block %d is whole", block)
        .isEqualTo(number == 0 ? new byte[BLOCK] : content(block, number));
    acknowledged.set(block, number);
    underWay.set(block, 0);
  }

  private long pending(int block) {
    long number = underWay.get(block);
    return number == 0 ? acknowledged.get(block) : number;
  }

  private static byte[] content(int block, long number) {
    ByteBuffer buffer = ByteBuffer.allocate(BLOCK);
    buffer.putLong(number).putLong(block);
    while (buffer.hasRemaining()) {
      buffer.putLong(number * 0x9E3779B97F4A7C15L + buffer.position());
    }
    return buffer.array();
  }
}
