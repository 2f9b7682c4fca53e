package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import java.util.Optional;

/** One host of {@link MovingPool}, with its devices of the blob, and the process on it. */
final class MovingNode {
  /** Target of the lower device of a host. */
  enum Lower {
    ABSENT,
    ERROR,
    POOL,
    LINK
  }

  /** An export of one process; later ones are different, also those of the same generation. */
  static final class Export implements PoolExport {
    private final MovingNode node;
    final long generation;
    final long sizeBytes;
    private boolean ended;

    Export(MovingNode node, long generation, long sizeBytes) {
      this.node = node;
      this.generation = generation;
      this.sizeBytes = sizeBytes;
    }

    @Override
    public PoolAddress address() {
      return new PoolAddress(node.name, "host", 1, generation);
    }

    @Override
    public void close() {
      ended = true;
    }

    boolean serves() {
      return !ended && node.active;
    }
  }

  final String name;
  boolean running = true;
  boolean cutOff;
  // of the host
  boolean active;
  Lower lower = Lower.ABSENT;
  Optional<Export> link = Optional.empty();
  boolean linkLost;
  long sizeBytes;
  boolean waits;
  // of the process
  Optional<Export> export = Optional.empty();
  PoolMemory memory = new PoolMemory();
  Optional<PoolRecord> read = Optional.empty();

  MovingNode(String name) {
    this.name = name;
  }

  void endProcess() {
    running = false;
    export.ifPresent(Export::close);
    export = Optional.empty();
    linkLost = true; // its transport was in the process
    memory = new PoolMemory();
    read = Optional.empty();
  }

  void endHost() {
    endProcess();
    active = false;
    removeDevices();
  }

  void removeDevices() {
    lower = Lower.ABSENT;
    link = Optional.empty();
    waits = false;
  }

  boolean isLinked() {
    return !linkLost && link.filter(Export::serves).isPresent();
  }

  /** Returns whether requests of the host reach the pool now. */
  boolean reaches() {
    return lower == Lower.POOL || (lower == Lower.LINK && isLinked());
  }
}
