package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A snapshot in memory that is backed up completely. */
final class BytesSource implements BackupSource {
  static final int BLOCK = 64 << 10;

  private final byte[] content;

  BytesSource(byte[] content) {
    this.content = content;
  }

  @Override
  public long sizeBytes() {
    return content.length;
  }

  @Override
  public Optional<String> refusesBase(BackupSummary last) {
    return Optional.of("its changes are not known");
  }

  @Override
  public void changedSince(BackupSummary last, RangeVisitor visitor) {
    allocated(visitor);
  }

  @Override
  public void allocated(RangeVisitor visitor) {
    visitor.range(0, content.length);
  }

  @Override
  public void aboveImage(RangeVisitor visitor) {
    allocated(visitor);
  }

  @Override
  public void read(long offset, ByteBuffer target) {
    target.put(content, (int) offset, target.remaining());
  }
}
