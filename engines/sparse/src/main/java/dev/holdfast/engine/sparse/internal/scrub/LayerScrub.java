package dev.holdfast.engine.sparse.internal.scrub;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.DamagedRange;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.sparse.internal.chain.LayerSums;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.internal.volume.VolumeContext;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Reads the layer of a snapshot on all replicas, and records its expected checksums. Steps run one
 * after the other, and never during a structural operation.
 */
final class LayerScrub {
  // Bytes per step in an almost empty layer; a replica with much data returns after fewer bytes.
  private static final long STEP = 1L << 30;

  private final VolumeContext parts;
  private final String snapshot;
  private final String image;
  private final Map<String, ByteString> kept = new HashMap<>();
  private final TreeSet<String> repaired = new TreeSet<>();
  private final List<DamagedRange> damaged = new ArrayList<>();
  private long changes = -1;
  private List<Member> alike = List.of();
  private boolean lowest;
  private final ByteArrayOutputStream sums = new ByteArrayOutputStream();
  private long repairedBytes;
  private long lastRead;
  private String checksum = "";
  private volatile long size = -1;
  private volatile long done;

  LayerScrub(VolumeContext parts, String snapshot) {
    this.parts = parts;
    this.snapshot = snapshot;
    this.image = LonghornLayout.imageOf(snapshot);
  }

  long size() {
    return Math.max(0, size);
  }

  long done() {
    return done;
  }

  boolean complete() {
    return size >= 0 && done >= size;
  }

  /** Returns the largest number of bytes that the last step read from one replica. */
  long lastRead() {
    return lastRead;
  }

  private List<Member> members() {
    return List.copyOf(parts.members().team().data());
  }

  /** Determines the length of the layer and which of its checksums are stored. */
  void begin() throws StorageException {
    checkPresent();
    checkAlike();
    long longest = 0;
    int most = 0;
    for (Member member : members()) {
      longest = Math.max(longest, entry(member).getSize());
      ByteString sum = new LayerAccess(member).keptSums(image);
      if (!sum.isEmpty()) {
        kept.put(member.id(), sum);
        most = Math.max(most, sum.size() / LayerSums.LENGTH);
      }
    }
    // The stored checksums still show the length of a layer that was truncated on all replicas.
    long known = Math.min(most * LayerSums.REGION, parts.device().size());
    size = most > LayerSums.count(longest) ? Math.max(longest, known) : longest;
    int count = LayerSums.count(size);
    kept.values().removeIf(sum -> sum.size() != count * LayerSums.LENGTH);
  }

  private LayerEntry entry(Member member) throws StorageException {
    for (LayerEntry entry : new LayerAccess(member).list()) {
      if (entry.getImage().equals(image)) {
        return entry;
      }
    }
    throw new StorageException(
        ErrorCode.BUSY, "snapshot " + snapshot + " is not on replica " + member.name());
  }

  // Trims may punch a removed snapshot, at different times on each replica.
  private void checkPresent() throws StorageException {
    long now = parts.structure().changes();
    if (now != changes) {
      LayerEntry entry = entry(members().get(0));
      if (entry.getMeta().getRemoved()) {
        throw new StorageException(ErrorCode.BUSY, "snapshot " + snapshot + " was removed");
      }
      lowest = entry.getMeta().getParent().isEmpty() && members().get(0).base().isEmpty();
      changes = now;
    }
  }

  // Each replica coalesces independently: data below the layer on one replica may be in the layer
  // on another.
  private void checkAlike() throws StorageException {
    List<Member> now = members();
    if (now.equals(alike)) {
      return;
    }
    String parent = entry(now.get(0)).getMeta().getParent();
    for (Member member : now) {
      if (!entry(member).getMeta().getParent().equals(parent)) {
        throw new StorageException(
            ErrorCode.BUSY,
            "snapshot "
                + snapshot
                + ": what was removed below it is not coalesced on every replica; try again later");
      }
    }
    alike = now;
  }

  /** Compares some regions and repairs them. */
  void step() throws StorageException {
    checkPresent();
    checkAlike();
    List<Member> members = members();
    ScrubChecksums[] readings = new ScrubChecksums[members.size()];
    long length = Math.min(STEP, size - done);
    for (StorageException failure :
        parts
            .fan()
            .all(
                readings.length,
                at -> readings[at] = ScrubChecksums.of(members.get(at), image, done, length))) {
      if (failure != null) {
        if (members.equals(members())) {
          throw failure;
        }
        // The failed replica was removed from the members: the next step repeats the request to the
        // others.
        return;
      }
    }
    int count = LayerSums.count(length);
    for (ScrubChecksums reading : readings) {
      count = Math.min(count, reading.count());
    }
    lastRead = 0;
    for (int region = 0; region < count; region++) {
      judge(List.of(readings), region);
    }
    done = Math.min(size, done + count * LayerSums.REGION);
  }

  private void judge(List<ScrubChecksums> readings, int region) throws StorageException {
    long offset = done + region * LayerSums.REGION;
    ScrubRange part =
        new ScrubRange(image, lowest, offset, Math.min(LayerSums.REGION, size - offset));
    List<ScrubRule.Copy> copies = new ArrayList<>();
    for (ScrubChecksums reading : readings) {
      Optional<ByteString> before =
          Optional.ofNullable(kept.get(reading.member().id()))
              .map(all -> ScrubChecksums.at(all, (int) (offset / LayerSums.REGION)));
      copies.add(new ScrubRule.Copy(reading.sum(region), before));
    }
    ScrubRule.Verdict verdict = ScrubRule.of(copies);
    if (verdict.right().isPresent()) {
      ByteString right = verdict.right().get();
      repairAll(part, right, readings, region);
      sums.writeBytes(right.toByteArray());
      lastRead += empty(right) ? 0 : part.length();
    } else {
      lastRead += part.length();
      damaged.addAll(new ScrubDamage(part, verdict.doubt()).of(readings, region));
    }
  }

  private static boolean empty(ByteString sum) {
    return sum.equals(ByteString.copyFrom(new byte[LayerSums.LENGTH]));
  }

  private void repairAll(
      ScrubRange part, ByteString right, List<ScrubChecksums> readings, int region)
      throws StorageException {
    Optional<ByteString> wanted = Optional.of(right);
    Member good =
        readings.stream()
            .filter(reading -> reading.sum(region).equals(wanted))
            .findFirst()
            .orElseThrow()
            .member();
    for (ScrubChecksums reading : readings) {
      if (!reading.sum(region).equals(wanted)) {
        repair(part, right, good, reading.member());
      }
    }
  }

  private void repair(ScrubRange part, ByteString right, Member good, Member bad)
      throws StorageException {
    LayerAccess replica = new LayerAccess(bad);
    ScrubRepair repair = new ScrubRepair(image, replica);
    new ScrubDiff(part, new LayerAccess(good), replica).visit(repair);
    ByteString now = ScrubChecksums.at(replica.regionSums(image, part.offset(), part.length()), 0);
    if (!now.equals(right)) {
      throw new StorageException(
          ErrorCode.IO,
          "snapshot "
              + snapshot
              + ": replica "
              + bad.name()
              + " does not store data that is written at "
              + part.offset());
    }
    repaired.add(bad.name());
    repairedBytes += repair.bytes();
  }

  /** Makes every replica store the checksums, if no damage was found. */
  void keep() throws StorageException {
    checkPresent();
    if (!damaged.isEmpty()) {
      return;
    }
    ByteString all = ByteString.copyFrom(sums.toByteArray());
    checksum = "sha256:" + HexFormat.of().formatHex(whole(size, all));
    for (Member member : members()) {
      LayerAccess replica = new LayerAccess(member);
      LayerEntry entry = entry(member);
      if (entry.getSize() < size) {
        replica.repairSize(image, size);
        repaired.add(member.name());
      }
      if (!all.equals(kept.get(member.id())) || !entry.getChecksum().equals(checksum)) {
        replica.keepSums(image, all);
        replica.remember(image, checksum);
      }
    }
  }

  private static byte[] whole(long size, ByteString sums) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(ByteBuffer.allocate(Long.BYTES).putLong(size).flip());
      digest.update(sums.asReadOnlyByteBuffer());
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  ScrubResult result() {
    return new ScrubResult(snapshot, checksum, List.copyOf(repaired), repairedBytes, damaged);
  }
}
