package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A file as the host's kernel serves it: one change or read at a time, however long the disk takes,
 * as with the lock of the inode. A single replica relies on this for overlapping requests. Only a
 * crash interrupts a write.
 */
final class SimulatedOpenFile implements ReplicaFile {
  private static final int CACHED_SHIFT = 21;

  private final SimulatedDisk disk;
  private final String name;
  private final SimulatedFile file;

  SimulatedOpenFile(SimulatedDisk disk, String name, SimulatedFile file) {
    this.disk = disk;
    this.name = name;
    this.file = file;
  }

  @Override
  public long size() throws IOException {
    disk.access();
    return file.length();
  }

  @Override
  public void read(ByteBuffer target, long position) throws IOException {
    throwIfTold();
    disk.access();
    synchronized (file) {
      if (!file.readable(position, target.remaining())) {
        throw new IOException("Input/output error");
      }
      target.put(file.read(position, target.remaining()));
    }
  }

  // Every other 2 MiB are in the host's memory.
  @Override
  public boolean tellsCached() {
    return false;
  }

  @Override
  public boolean readNow(ByteBuffer target, long position) throws IOException {
    boolean cached = (position >> CACHED_SHIFT & 1) == 0;
    if (cached) {
      read(target, position);
    }
    return cached;
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    throwIfTold();
    if (isLayer()) {
      disk.hangIfTold();
    }
    disk.access();
    synchronized (file) {
      int fits = disk.space().allocate(file, position, source.remaining());
      boolean whole = fits == source.remaining();
      byte[] content = new byte[fits];
      source.get(content);
      write(content, position);
      if (!whole) {
        throw disk.space().refused();
      }
    }
  }

  private boolean isLayer() {
    return name.endsWith(".img");
  }

  private void throwIfTold() {
    if (isLayer()) {
      disk.throwIfTold();
    }
  }

  private void write(byte[] content, long position) throws IOException {
    if (disk.mutants().ignoresWrite(name) || content.length == 0) {
      return;
    }
    disk.forbidden().written(content);
    synchronized (file) {
      disk.changed(name);
      disk.forbidden().changed(file);
      int half = file.wholeBlocks(position, content.length / 2);
      file.write(position, Arrays.copyOf(content, half));
      disk.access();
      file.write(position + half, Arrays.copyOfRange(content, half, content.length));
    }
    disk.mutants().marksWritten(name);
  }

  @Override
  public void punch(long position, long length) throws IOException {
    disk.access();
    synchronized (file) {
      disk.changed(name);
      disk.forbidden().changed(file);
      file.punch(position, length);
    }
  }

  // Allocated but unwritten blocks may be reported as holes.
  @Override
  public void zero(long position, long length) throws IOException {
    punch(position, length);
  }

  @Override
  public long nextData(long position) {
    return file.nextData(position);
  }

  @Override
  public long nextHole(long position) {
    return file.nextHole(position);
  }

  @Override
  public void grow(long size) throws IOException {
    disk.access();
    disk.changed(name);
    disk.forbidden().changed(file);
    file.grow(size);
  }

  @Override
  public void sync() throws IOException {
    disk.access();
    if (isLayer() && disk.syncFails()) {
      file.failSync();
      throw new IOException("Input/output error");
    }
    if (!disk.mutants().ignoresSync(name)) {
      file.sync();
    }
    disk.access();
  }

  @Override
  public void close() {}
}
