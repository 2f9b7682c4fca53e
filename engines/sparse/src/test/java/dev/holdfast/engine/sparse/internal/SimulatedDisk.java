package dev.holdfast.engine.sparse.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A replica's directory in memory, on a disk that forgets: after a power cut each sector that was
 * written and not synced is there or not, by chance. Small files are replaced atomically, as the
 * real directory does it with rename.
 */
final class SimulatedDisk {
  static final int SECTOR = 512;
  private static final int INTENT_HEADER = 64;

  private final CrashPoint crash;
  private final Mutant mutant;
  private final Map<String, SimulatedFile> files = new TreeMap<>();
  private boolean broken;
  private boolean locked;
  private boolean marksCleared;
  private long changes;

  SimulatedDisk(CrashPoint crash, Mutant mutant) {
    this.crash = crash;
    this.mutant = mutant;
  }

  void put(String name, byte[] content) {
    files.put(name, new SimulatedFile(content));
  }

  void putSparse(String name, long length) {
    files.put(name, new SimulatedFile(length));
  }

  /** Sets whether accesses fail, as on a disk that died. */
  void setBroken(boolean value) {
    broken = value;
  }

  boolean broken() {
    return broken;
  }

  /** What a reader sees, around the engine. */
  byte[] content(String name, long position, int length) {
    return files.get(name).read(position, length);
  }

  /** The engine is gone; what it wrote stays in the page cache. */
  void engineDied() {
    locked = false;
  }

  /** The host lost its power. */
  void losePower(Random random) {
    locked = false;
    files.values().forEach(file -> file.losePower(random));
  }

  ReplicaDirectory directory() {
    return new Directory();
  }

  private void changed(String name) {
    changes += name.indexOf('/') < 0 ? 1 : 0;
  }

  private void access() throws IOException {
    crash.access();
    if (broken) {
      throw new IOException("Input/output error");
    }
  }

  private final class Directory implements ReplicaDirectory {
    @Override
    public String path() {
      return "/simulated";
    }

    @Override
    public boolean lock() throws IOException {
      access();
      boolean free = !locked;
      locked = true;
      return free;
    }

    @Override
    public void unlock() {
      if (!crash.happened()) {
        locked = false;
      }
    }

    @Override
    public SortedSet<String> files() throws IOException {
      access();
      SortedSet<String> names = new TreeSet<>(files.keySet());
      names.removeIf(name -> name.indexOf('/') >= 0);
      return names;
    }

    @Override
    public SortedSet<String> files(String folder) throws IOException {
      access();
      SortedSet<String> names = new TreeSet<>(files.keySet());
      names.removeIf(name -> !name.startsWith(folder + "/"));
      return names;
    }

    @Override
    public Optional<byte[]> load(String name) throws IOException {
      access();
      if (mutant == Mutant.NO_RESYNC && name.equals(StateFiles.INTENT)) {
        return Optional.empty();
      }
      if (marksCleared && name.equals(StateFiles.INTENT)) {
        return Optional.of(files.get(name).read(0, INTENT_HEADER));
      }
      return Optional.ofNullable(files.get(name)).map(SimulatedFile::all);
    }

    @Override
    public void store(String name, byte[] content) throws IOException {
      access();
      if (mutant == Mutant.DROP_NOT_DECIDED && name.equals(StateFiles.EPOCH)) {
        return;
      }
      put(name, content);
      changed(name);
      access();
    }

    @Override
    public void remove(String name) throws IOException {
      access();
      if (mutant != Mutant.CLEAN_NOT_REMOVED || !name.equals(StateFiles.CLEAN)) {
        files.remove(name);
      }
      access();
    }

    @Override
    public ReplicaFile open(String name) throws IOException {
      access();
      return new OpenFile(name, files.get(name));
    }

    @Override
    public String fingerprint() throws IOException {
      access();
      return String.join("|", files()) + changes;
    }
  }

  private final class OpenFile implements ReplicaFile {
    private final String name;
    private final SimulatedFile file;

    OpenFile(String name, SimulatedFile file) {
      this.name = name;
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      access();
      return file.length();
    }

    @Override
    public void read(ByteBuffer target, long position) throws IOException {
      access();
      target.put(file.read(position, target.remaining()));
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      byte[] content = new byte[source.remaining()];
      source.get(source.position(), content);
      write(content, position);
      source.position(source.limit());
    }

    private void write(byte[] content, long position) throws IOException {
      if (mutant == Mutant.MARKS_NOT_WRITTEN && name.equals(StateFiles.INTENT)) {
        return;
      }
      access();
      changed(name);
      int half = content.length / 2 / SECTOR * SECTOR;
      file.write(position, Arrays.copyOf(content, half));
      access();
      file.write(position + half, Arrays.copyOfRange(content, half, content.length));
      marksCleared = mutant == Mutant.MARKS_CLEARED_EARLY && !name.equals(StateFiles.INTENT);
    }

    @Override
    public void punch(long position, long length) throws IOException {
      write(new byte[Math.toIntExact(length)], position);
    }

    @Override
    public void zero(long position, long length) throws IOException {
      write(new byte[Math.toIntExact(length)], position);
    }

    @Override
    public long nextData(long position) {
      return position < file.length() ? position : -1;
    }

    @Override
    public long nextHole(long position) {
      return file.length();
    }

    @Override
    public void sync() throws IOException {
      access();
      boolean ignored =
          (mutant == Mutant.FLUSH_IGNORED && !name.equals(StateFiles.INTENT))
              || (mutant == Mutant.MARKS_NOT_SYNCED && name.equals(StateFiles.INTENT));
      if (!ignored) {
        file.sync();
      }
      access();
    }

    @Override
    public void close() {}
  }

  /** Sectors: what is on the disk, and what only the page cache has. */
  private static final class SimulatedFile {
    private byte[][] stable = new byte[8][];
    private byte[][] cached = new byte[8][];
    private final SortedSet<Integer> unsynced = new TreeSet<>();
    private long stableLength;
    private long length;

    SimulatedFile(byte[] content) {
      write(0, content);
      sync();
    }

    SimulatedFile(long length) {
      this.length = length;
      this.stableLength = length;
      reserve((int) (length / SECTOR) + 1);
    }

    private void reserve(int sectors) {
      if (sectors > stable.length) {
        stable = Arrays.copyOf(stable, Math.max(sectors, 2 * stable.length));
        cached = Arrays.copyOf(cached, stable.length);
      }
    }

    long length() {
      return length;
    }

    byte[] all() {
      return read(0, Math.toIntExact(length));
    }

    byte[] read(long position, int count) {
      byte[] content = new byte[count];
      for (int at = 0; at < count; ) {
        int sector = (int) ((position + at) / SECTOR);
        int from = (int) ((position + at) % SECTOR);
        int piece = Math.min(SECTOR - from, count - at);
        byte[] bytes = cached[sector] == null ? stable[sector] : cached[sector];
        if (bytes != null) {
          System.arraycopy(bytes, from, content, at, piece);
        }
        at += piece;
      }
      return content;
    }

    void write(long position, byte[] content) {
      reserve((int) ((position + content.length) / SECTOR) + 1);
      for (int at = 0; at < content.length; ) {
        int sector = (int) ((position + at) / SECTOR);
        int from = (int) ((position + at) % SECTOR);
        int piece = Math.min(SECTOR - from, content.length - at);
        byte[] bytes = read((long) sector * SECTOR, SECTOR);
        System.arraycopy(content, at, bytes, from, piece);
        cached[sector] = bytes;
        unsynced.add(sector);
        at += piece;
      }
      length = Math.max(length, position + content.length);
    }

    void sync() {
      for (int sector : unsynced) {
        stable[sector] = cached[sector];
        cached[sector] = null;
      }
      unsynced.clear();
      stableLength = length;
    }

    void losePower(Random random) {
      for (int sector : unsynced) {
        if (random.nextBoolean()) {
          stable[sector] = cached[sector];
          stableLength = Math.max(stableLength, Math.min(length, (sector + 1L) * SECTOR));
        }
        cached[sector] = null;
      }
      unsynced.clear();
      length = stableLength;
    }
  }
}
