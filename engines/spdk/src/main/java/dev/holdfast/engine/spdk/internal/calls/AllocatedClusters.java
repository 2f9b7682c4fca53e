package dev.holdfast.engine.spdk.internal.calls;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.SparseFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds the clusters that a snapshot itself has allocated. SPDK has no call that tells them, but
 * its shallow copy writes exactly these, in ascending order. The copy goes to a sparse file of this
 * node, whose holes tell which ones were written. What is complete is punched out again at once, so
 * that the file never holds more than SPDK writes between two looks. Thread-safe.
 */
public final class AllocatedClusters {
  /** Bytes of a cluster. */
  public static final int CLUSTER = 1 << 20;

  private static final String PREFIX = "hf-clusters-";
  private static final int BLOCK = 4_096;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final TargetCalls target;
  private final Lvols lvols;
  private final Path folder;
  private final Set<String> active = ConcurrentHashMap.newKeySet();

  /**
   * Finds clusters by a target of this machine.
   *
   * @param folder for files, on a file system with holes; is made when it is missing
   */
  public AllocatedClusters(TargetCalls target, Path folder) {
    this.target = target;
    this.lvols = new Lvols(target);
    this.folder = folder;
  }

  /**
   * Adds the clusters of a snapshot to a set. Blocks for as long as SPDK reads them.
   *
   * @param snapshot with its store
   * @throws StorageException NOT_FOUND; IO
   */
  public void addTo(BitSet clusters, String snapshot) throws StorageException {
    LvolInfo info =
        lvols
            .find(snapshot)
            .orElseThrow(
                () -> new StorageException(ErrorCode.NOT_FOUND, "there is no lvol " + snapshot));
    if (info.usedBytes() == 0) {
      return;
    }
    String name = PREFIX + UUID.randomUUID();
    Path file = folder.resolve(name);
    active.add(name);
    try {
      removeLeft();
      Files.createFile(file);
      try (SparseFile sink = SparseFile.open(file)) {
        sink.grow(info.sizeBytes());
        copy(snapshot, name, sink, clusters);
      }
    } catch (IOException e) {
      throw StorageException.io("clusters of " + snapshot + ": " + file, e);
    } finally {
      remove(file);
      active.remove(name);
    }
  }

  private void copy(String snapshot, String name, SparseFile sink, BitSet clusters)
      throws StorageException, IOException {
    target.run(
        "bdev_aio_create",
        SpdkTarget.params()
            .put("name", name)
            .put("filename", folder.resolve(name).toAbsolutePath().toString())
            .put("block_size", BLOCK));
    target.run("bdev_wait_for_examine", SpdkTarget.params());
    ShallowCopy copy = lvols.shallowCopy(snapshot, name);
    while (!copy.isOver()) {
      long last = look(sink, clusters);
      if (last > 0) {
        boolean unused = sink.punchHole(0, last);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    long unused = look(sink, clusters);
  }

  /** Adds what is written, and returns where its last cluster begins, which may be incomplete. */
  private static long look(SparseFile sink, BitSet clusters) throws IOException {
    long last = 0;
    for (long at = sink.nextData(0); at >= 0; ) {
      long end = sink.nextHole(at);
      last = (end - 1) / CLUSTER;
      clusters.set((int) (at / CLUSTER), (int) last + 1);
      at = sink.nextData(end);
    }
    return last * CLUSTER;
  }

  /** Removes what earlier processes left when they were killed. */
  private void removeLeft() throws StorageException, IOException {
    Files.createDirectories(folder);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*")) {
      for (Path file : files) {
        if (!active.contains(file.getFileName().toString())) {
          remove(file);
        }
      }
    }
  }

  private void remove(Path file) throws StorageException {
    try {
      target.run("bdev_aio_delete", SpdkTarget.params().put("name", file.getFileName().toString()));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }
}
