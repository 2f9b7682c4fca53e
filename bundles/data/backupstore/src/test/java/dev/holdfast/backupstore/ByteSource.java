package dev.holdfast.backupstore;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A snapshot in memory, which may know the bytes of an earlier one by its uid. */
final class ByteSource implements BackupSource {
  private static final int PAGE = 4 << 10;

  final String uid;
  final byte[] content;
  final AtomicLong readBytes = new AtomicLong();
  private final Optional<ByteSource> base;
  private final byte[] image;

  ByteSource(String uid, byte[] content, Optional<ByteSource> base) {
    this(uid, content, base, new byte[content.length]);
  }

  /** Creates a source on a backing image, whose bytes are visible in unwritten ranges. */
  ByteSource(String uid, byte[] content, Optional<ByteSource> base, byte[] image) {
    this.image = image;
    this.uid = uid;
    this.content = content;
    this.base = base;
  }

  BackupRequest request(String volume, String backup) {
    return request(volume, backup, Compression.LZ4);
  }

  BackupRequest request(String volume, String backup, Compression compression) {
    return new BackupRequest(
        new BackupName(volume, backup),
        "snap-of-" + backup,
        uid,
        Instant.parse("2026-11-20T11:59:00Z"),
        Map.of(),
        false,
        2 << 20,
        compression,
        RecordedImage.NONE);
  }

  @Override
  public long sizeBytes() {
    return content.length;
  }

  @Override
  public Optional<String> refusesBase(BackupSummary last) {
    return base.filter(earlier -> earlier.uid.equals(last.snapshotUid())).isPresent()
        ? Optional.empty()
        : Optional.of("its snapshot is another one");
  }

  @Override
  public void changedSince(BackupSummary last, RangeVisitor visitor) {
    byte[] earlier = Arrays.copyOf(base.orElseThrow().content, content.length);
    visit(earlier, visitor);
  }

  @Override
  public void allocated(RangeVisitor visitor) {
    visit(new byte[content.length], visitor);
  }

  @Override
  public void aboveImage(RangeVisitor visitor) {
    visit(image, visitor);
  }

  private void visit(byte[] other, RangeVisitor visitor) {
    for (int offset = 0; offset < content.length; offset += PAGE) {
      int end = Math.min(offset + PAGE, content.length);
      if (!Arrays.equals(content, offset, end, other, offset, end)) {
        visitor.range(offset, end - offset);
      }
    }
  }

  @Override
  public void read(long offset, ByteBuffer target) {
    readBytes.addAndGet(target.remaining());
    target.put(content, (int) offset, target.remaining());
  }
}
