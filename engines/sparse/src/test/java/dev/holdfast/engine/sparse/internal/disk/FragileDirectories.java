package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Real directories whose disks can break and whose engine can be killed. After {@link #kill}
 * returned, accesses of the killed engine have no effect.
 */
public final class FragileDirectories {
  private final Set<Path> broken;
  private final ReadWriteLock life = new ReentrantReadWriteLock();
  private final List<ReplicaDirectory> opened = new ArrayList<>();
  // Full disks, on which allocations fail.
  private final Set<Path> full = noneBroken();
  // Disks that do not answer, with the number of waiting accesses. Guarded by itself.
  private final Map<Path, Integer> hanging = new HashMap<>();
  private final Map<Path, HungWrite> hungWrites = new ConcurrentHashMap<>();
  private final Map<Path, Error> errors = new ConcurrentHashMap<>();
  private final Set<Path> forgotten = noneBroken();
  private final Map<Written, Integer> written = new ConcurrentHashMap<>();
  private boolean killed;

  /** Writes of one length into files of a directory. */
  private record Written(Path path, int length) {}

  /**
   * Creates the directories. The set of broken disks belongs to the lab, because it outlives an
   * engine.
   */
  public FragileDirectories(Set<Path> broken) {
    this.broken = broken;
  }

  public static Set<Path> noneBroken() {
    return ConcurrentHashMap.newKeySet();
  }

  /** Sets whether the creation of files in a directory fails. */
  public void fill(Path path, boolean filled) {
    if (filled) {
      full.add(path);
    } else {
      full.remove(path);
    }
  }

  /** Lets all accesses to a directory hang until {@link #wake}. */
  public void hang(Path path) {
    synchronized (hanging) {
      hanging.put(path, 0);
    }
  }

  /** Blocks the next write into a file of a directory. Other accesses continue. */
  public HungWrite hangNextWrite(Path path) {
    HungWrite hung = new HungWrite();
    hungWrites.put(path, hung);
    return hung;
  }

  /**
   * Lets the next read or write of a file of a directory throw an error, for example for a lack of
   * memory.
   */
  public void throwNext(Path path, Error error) {
    errors.put(path, error);
  }

  /** Returns the number of writes of a length that took effect in files of a directory. */
  public int writes(Path path, int length) {
    return written.getOrDefault(new Written(path, length), 0);
  }

  private void throwIfTold(Path path) {
    Error error = errors.isEmpty() ? null : errors.remove(path);
    if (error != null) {
      throw error;
    }
  }

  /**
   * Empties the page cache of a directory; before this call everything is cached, unless the
   * directory hangs.
   */
  public void forget(Path path) {
    forgotten.add(path);
  }

  private boolean cached(Path path) {
    synchronized (hanging) {
      return !hanging.containsKey(path) && !forgotten.contains(path);
    }
  }

  public void wake(Path path) {
    synchronized (hanging) {
      hanging.remove(path);
      hanging.notifyAll();
    }
  }

  /** Waits until an access hangs. */
  public void awaitHanging(Path path) throws InterruptedException {
    synchronized (hanging) {
      while (hanging.get(path) == 0) {
        hanging.wait();
      }
    }
  }

  private void passUnlessHanging(Path path) throws IOException {
    synchronized (hanging) {
      if (hanging.computeIfPresent(path, (key, count) -> count + 1) != null) {
        hanging.notifyAll();
      }
      try {
        while (hanging.containsKey(path)) {
          hanging.wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }

  private void checkRoom(Path path) throws IOException {
    if (full.contains(path)) {
      throw new IOException("No space left on device");
    }
  }

  public synchronized ReplicaDirectory open(Path path) {
    ReplicaDirectory directory = new LocalReplicaDirectory(path);
    opened.add(directory);
    return new Directory(path, directory);
  }

  public synchronized void kill() throws IOException {
    life.writeLock().lock();
    try {
      killed = true;
    } finally {
      life.writeLock().unlock();
    }
    for (ReplicaDirectory directory : opened) {
      directory.unlock();
    }
  }

  private interface Access<T> {
    T run() throws IOException;
  }

  private interface Change {
    void run() throws IOException;
  }

  private <T> T access(Path path, Access<T> access) throws IOException {
    passUnlessHanging(path);
    life.readLock().lock();
    try {
      if (killed) {
        throw new IOException("killed");
      }
      if (broken.contains(path)) {
        throw new IOException("Input/output error");
      }
      return access.run();
    } finally {
      life.readLock().unlock();
    }
  }

  private void change(Path path, Change change) throws IOException {
    access(
        path,
        () -> {
          change.run();
          return null;
        });
  }

  private final class Directory implements ReplicaDirectory {
    private final Path path;
    private final ReplicaDirectory below;

    Directory(Path path, ReplicaDirectory below) {
      this.path = path;
      this.below = below;
    }

    @Override
    public String path() {
      return below.path();
    }

    @Override
    public boolean lock() throws IOException {
      return access(path, below::lock);
    }

    @Override
    public void unlock() throws IOException {
      below.unlock();
    }

    @Override
    public SortedSet<String> files() throws IOException {
      return access(path, below::files);
    }

    @Override
    public SortedSet<String> files(String folder) throws IOException {
      return access(path, () -> below.files(folder));
    }

    @Override
    public Optional<byte[]> load(String name) throws IOException {
      return access(path, () -> below.load(name));
    }

    @Override
    public void store(String name, byte[] content) throws IOException {
      change(path, () -> below.store(name, content));
    }

    @Override
    public void remove(String name) throws IOException {
      change(path, () -> below.remove(name));
    }

    @Override
    public ReplicaFile open(String name) throws IOException {
      return access(path, () -> new DataFile(path, below.open(name)));
    }

    @Override
    public ReplicaFile openSealed(String name) throws IOException {
      return access(path, () -> new DataFile(path, below.openSealed(name)));
    }

    @Override
    public void protect(String name) throws IOException {
      change(path, () -> below.protect(name));
    }

    @Override
    public String stamp(String name) throws IOException {
      return access(path, () -> below.stamp(name));
    }

    @Override
    public ReplicaFile create(String name, long size) throws IOException {
      checkRoom(path);
      return access(path, () -> new DataFile(path, below.create(name, size)));
    }

    @Override
    public void link(String existing, String name) throws IOException {
      change(path, () -> below.link(existing, name));
    }

    @Override
    public void linkInto(String existing, Path folder, String name) throws IOException {
      change(path, () -> below.linkInto(existing, folder, name));
    }

    @Override
    public ReplicaDirectory elsewhere(Path folder) {
      return below.elsewhere(folder);
    }

    @Override
    public boolean shared(String name) throws IOException {
      return below.shared(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
      change(path, () -> below.rename(from, to));
    }

    @Override
    public boolean sameFile(String one, String other) throws IOException {
      return access(path, () -> below.sameFile(one, other));
    }

    @Override
    public void sync(String folder) throws IOException {
      change(path, () -> below.sync(folder));
    }

    @Override
    public String fingerprint() throws IOException {
      return access(path, below::fingerprint);
    }
  }

  private final class DataFile implements ReplicaFile {
    private final Path path;
    private final ReplicaFile below;

    DataFile(Path path, ReplicaFile below) {
      this.path = path;
      this.below = below;
    }

    @Override
    public long size() throws IOException {
      return access(path, below::size);
    }

    @Override
    public void read(ByteBuffer target, long position) throws IOException {
      throwIfTold(path);
      change(path, () -> below.read(target, position));
    }

    @Override
    public boolean readNow(ByteBuffer target, long position) throws IOException {
      boolean cached = cached(path);
      if (cached) {
        read(target, position);
      }
      return cached;
    }

    @Override
    public boolean tellsCached() {
      return false;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      throwIfTold(path);
      int length = source.remaining();
      writeUncounted(source, position);
      written.merge(new Written(path, length), 1, Integer::sum);
    }

    private void writeUncounted(ByteBuffer source, long position) throws IOException {
      HungWrite hung = hungWrites.remove(path);
      if (hung == null) {
        change(path, () -> below.write(source, position));
      } else {
        hung.hang(() -> change(path, () -> below.write(source, position)));
      }
    }

    @Override
    public void punch(long position, long length) throws IOException {
      change(path, () -> below.punch(position, length));
    }

    @Override
    public void zero(long position, long length) throws IOException {
      change(path, () -> below.zero(position, length));
    }

    @Override
    public long nextData(long position) throws IOException {
      return access(path, () -> below.nextData(position));
    }

    @Override
    public long nextHole(long position) throws IOException {
      return access(path, () -> below.nextHole(position));
    }

    @Override
    public void grow(long size) throws IOException {
      change(path, () -> below.grow(size));
    }

    @Override
    public void sync() throws IOException {
      change(path, below::sync);
    }

    @Override
    public void close() throws IOException {
      below.close();
    }
  }
}
