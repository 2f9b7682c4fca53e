package dev.holdfast.engine.sparse.internal.scrub;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.sparse.internal.chain.LayerSums;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * The checksums of some regions of a layer, computed from a replica's present content.
 *
 * @param member the replica
 * @param sums concatenated checksums; empty for one region that cannot be read
 */
record ScrubChecksums(Member member, Optional<ByteString> sums) {

  /**
   * Reads regions, at least one.
   *
   * @throws StorageException when the replica does not answer; an unreadable disk is not an error
   */
  static ScrubChecksums of(Member member, String image, long offset, long length)
      throws StorageException {
    LayerAccess replica = new LayerAccess(member);
    try {
      return new ScrubChecksums(member, Optional.of(replica.regionSums(image, offset, length)));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.IO) {
        throw e;
      }
    }
    if (length > LayerSums.REGION) {
      return of(member, image, offset, LayerSums.REGION);
    }
    // If the replica answers this call, the read failed because of its disk.
    replica.list();
    return new ScrubChecksums(member, Optional.empty());
  }

  /** Returns the number of regions. */
  int count() {
    return sums.map(all -> all.size() / LayerSums.LENGTH).orElse(1);
  }

  Optional<ByteString> sum(int region) {
    return sums.map(all -> at(all, region));
  }

  static ByteString at(ByteString sums, int region) {
    return sums.substring(region * LayerSums.LENGTH, (region + 1) * LayerSums.LENGTH);
  }
}
