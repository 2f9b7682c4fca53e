package dev.holdfast.engine.sparse.internal.scrub;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.error.StorageException;

/** Repairs the differing blocks of one replica, and counts them. */
final class ScrubRepair implements ScrubDiff.Visitor {
  private final String image;
  private final LayerAccess replica;
  private long bytes;

  ScrubRepair(String image, LayerAccess replica) {
    this.image = image;
    this.replica = replica;
  }

  long bytes() {
    return bytes;
  }

  @Override
  public void content(long offset, ByteString right) throws StorageException {
    replica.repair(image, offset, right);
    bytes += right.size();
  }

  @Override
  public void hole(long offset, long length) throws StorageException {
    replica.repairHole(image, offset, length);
    bytes += length;
  }
}
