package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that refuses changes, with the effects of a base's planted mutants on its readers. */
final class SimulatedSealedFile implements ReplicaFile {
  private final ReplicaFile file;
  private final Mutant mutant;

  SimulatedSealedFile(ReplicaFile file, Mutant mutant) {
    this.file = file;
    this.mutant = mutant;
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public void read(ByteBuffer target, long position) throws IOException {
    int start = target.position();
    file.read(target, position);
    if (mutant == Mutant.BASE_HOLES_NOT_ZERO && file.nextData(position) != position) {
      for (int at = start; at < target.limit(); at++) {
        target.put(at, (byte) 1);
      }
    }
  }

  @Override
  public boolean tellsCached() {
    return file.tellsCached();
  }

  @Override
  public boolean readNow(ByteBuffer target, long position) throws IOException {
    return file.readNow(target, position);
  }

  @Override
  public void write(ByteBuffer source, long position) {
    throw new IllegalStateException("a base was written");
  }

  @Override
  public void punch(long position, long length) {
    throw new IllegalStateException("a base was punched");
  }

  @Override
  public void zero(long position, long length) {
    throw new IllegalStateException("a base was zeroed");
  }

  @Override
  public void grow(long size) {
    throw new IllegalStateException("a base was grown");
  }

  @Override
  public long nextData(long position) throws IOException {
    return mutant == Mutant.BASE_NOT_HIDDEN ? -1 : file.nextData(position);
  }

  @Override
  public long nextHole(long position) throws IOException {
    return file.nextHole(position);
  }

  @Override
  public void sync() throws IOException {
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
