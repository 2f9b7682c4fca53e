package dev.holdfast.engine.sparse.internal.rebuild;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.sparse.internal.chain.LayerSums;
import dev.holdfast.engine.sparse.internal.members.Broadcast;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Makes a layer of the target equal to that of the members. Transfers only differences, found by
 * checksums, so an interrupted copy resumes where it stopped. Compares whole regions where equal
 * content is expected, and parts of regions elsewhere. Stops comparing parts when the results show
 * that comparing saves nothing. Several regions are copied concurrently, each part from another
 * member with the same layers.
 */
final class LayerCopier {
  private static final int STREAMS = 4;
  private static final long REGION = LayerSums.REGION;
  private static final long PART = 4L << 20;
  private static final int READ = 1 << 20;
  private static final int HOLES = 8;

  /**
   * A region of a layer.
   *
   * @param data ranges in which the first source has data
   * @param each ranges with data of each source
   * @param bare whether the target has no data of the layer
   * @param comparable whether checksums show differences
   * @param noted whether differences are expected
   * @param counted whether its bytes were added to the total
   */
  private record Piece(
      Part whole,
      DataRanges data,
      SourceRanges each,
      boolean bare,
      boolean comparable,
      boolean noted,
      boolean counted) {}

  /** A part of a layer; {@code turn} selects the source. */
  private record Part(String image, long offset, long length, int turn) {}

  /**
   * Decides whether one stream compares its next part. Comparing reads both sides, so after each
   * differing part more parts are copied without it, until a compared part is equal.
   */
  private static final class Expected {
    private static final int MOST = 15;

    private int differed;
    private int left;

    boolean toDiffer() {
      boolean differs = left > 0;
      left -= differs ? 1 : 0;
      return differs;
    }

    boolean found(boolean alike) {
      differed = alike ? 0 : Math.min(MOST, 2 * differed + 1);
      // The first difference skips no comparison: one differing part does not predict the next one.
      left = differed / 2;
      return alike;
    }
  }

  /** Supplies the members from which a layer can be copied now, at least one. */
  @FunctionalInterface
  interface Sources {
    List<Member> all() throws StorageException;
  }

  /** Call to a member. */
  @FunctionalInterface
  private interface Question<T> {
    T to(LayerAccess source) throws StorageException;
  }

  private final LayerAccess target;
  private final Sources sources;
  private final Broadcast fan;
  private final SharedRateLimit pace;
  private final BooleanSupplier over;
  private final AtomicLong total = new AtomicLong();
  private final AtomicLong done = new AtomicLong();

  /**
   * Prepares copies.
   *
   * @param sources members that have the same layers
   * @param over whether to stop
   */
  LayerCopier(
      LayerAccess target,
      Sources sources,
      Broadcast fan,
      SharedRateLimit pace,
      BooleanSupplier over) {
    this.target = target;
    this.sources = sources;
    this.fan = fan;
    this.pace = pace;
    this.over = over;
  }

  long total() {
    return total.get();
  }

  long done() {
    return done.get();
  }

  /** Adds a layer that must be copied whole to the total. */
  void foresee(LayerEntry layer) throws StorageException {
    total.addAndGet(ask(0, source -> source.data(layer.getImage(), 0, layer.getSize())));
  }

  /**
   * Copies a layer and then its metadata.
   *
   * @param regions regions that may differ
   * @param comparable whether checksums show which of these differ
   * @param noted whether these are expected to differ
   * @param foreseen whether its bytes were added to the total, because the target has no data of it
   */
  void copy(LayerEntry layer, BitSet regions, boolean comparable, boolean noted, boolean foreseen)
      throws StorageException {
    String image = layer.getImage();
    target.begin(image, layer.getSize());
    // An interrupted copy may have left data that the members have changed since.
    BitSet held = DataRanges.of(target, layer).regions();
    SourceRanges each = new SourceRanges(layer);
    DataRanges data = ask(0, each::of);
    BitSet wanted = data.regions();
    List<Piece> pieces = new ArrayList<>();
    for (long at = 0; at < layer.getSize(); at += REGION) {
      int region = Regions.of(at);
      if (regions.get(region) && (held.get(region) || wanted.get(region))) {
        long length = Math.min(REGION, layer.getSize() - at);
        Part whole = new Part(image, at, length, region);
        pieces.add(new Piece(whole, data, each, !held.get(region), comparable, noted, foreseen));
      }
    }
    AtomicInteger next = new AtomicInteger();
    for (StorageException failure :
        fan.all(
            Math.min(STREAMS, pieces.size()),
            stream -> {
              try (LayerTransferStream bytes =
                  new LayerTransferStream(image, target.member(), READ)) {
                stream(pieces, next, bytes);
              }
            })) {
      if (failure != null) {
        throw failure;
      }
    }
    target.complete(layer);
  }

  private void stream(List<Piece> pieces, AtomicInteger next, LayerTransferStream bytes)
      throws StorageException {
    Expected expected = new Expected();
    int at = next.getAndIncrement();
    while (at < pieces.size()) {
      boolean copied = false;
      try {
        copy(pieces.get(at), bytes, expected);
        copied = true;
      } finally {
        if (!copied) {
          next.set(pieces.size());
        }
      }
      at = next.getAndIncrement();
    }
  }

  private void copy(Piece piece, LayerTransferStream bytes, Expected expected)
      throws StorageException {
    Part whole = piece.whole();
    boolean compare = !piece.bare() && piece.comparable();
    if (compare && !piece.noted() && same(whole)) {
      countAlike(piece, whole);
      return;
    }
    long end = whole.offset() + whole.length();
    for (long at = whole.offset(); at < end; at += PART) {
      long length = Math.min(PART, end - at);
      Part part = new Part(whole.image(), at, length, Math.toIntExact(at / PART));
      if (compare && !expected.toDiffer() && expected.found(alike(part))) {
        countAlike(piece, part);
      } else {
        copy(piece, part, bytes);
      }
    }
  }

  private void copy(Piece piece, Part part, LayerTransferStream bytes) throws StorageException {
    if (!piece.counted()) {
      total.addAndGet(piece.data().bytes(part.offset(), part.length()));
    }
    boolean bare = piece.bare();
    Optional<StorageException> failure = Optional.empty();
    List<Member> members = sources.all();
    for (int i = 0; i < members.size(); i++) {
      Member source = members.get((part.turn() + i) % members.size());
      failure = copyFrom(source, piece, part, bytes, bare);
      if (failure.isEmpty()) {
        return;
      }
      bare = false;
    }
    throw failure.orElseThrow();
  }

  // Sources may hold the same content in different layers, so one may have a hole where another has
  // data. The ranges and the bytes must therefore come from the same source. Returns the failure of
  // the source, if any.
  private Optional<StorageException> copyFrom(
      Member source, Piece piece, Part part, LayerTransferStream bytes, boolean bare)
      throws StorageException {
    List<long[]> ranges;
    try {
      ranges = piece.each().of(new LayerAccess(source)).within(part.offset(), part.length());
    } catch (StorageException e) {
      return Optional.of(e);
    }
    if (!bare) {
      clear(part, ranges);
    }
    Optional<StorageException> failure = Optional.empty();
    for (long[] range : ranges) {
      for (long at = range[0]; at < range[1] && failure.isEmpty(); at += READ) {
        failure = move(source, bytes, at, (int) Math.min(READ, range[1] - at));
      }
    }
    return failure;
  }

  // Ranges that will be written are not punched first, so that the file keeps its blocks. With many
  // holes, one call for all costs less.
  private void clear(Part part, List<long[]> ranges) throws StorageException {
    if (ranges.size() > HOLES) {
      target.punch(part.image(), part.offset(), part.length());
      return;
    }
    long at = part.offset();
    for (long[] range : ranges) {
      punch(part, at, range[0]);
      at = range[1];
    }
    punch(part, at, part.offset() + part.length());
  }

  private void punch(Part part, long from, long to) throws StorageException {
    if (from < to) {
      target.punch(part.image(), from, to - from);
    }
  }

  private void countAlike(Piece piece, Part part) {
    if (piece.counted()) {
      done.addAndGet(piece.data().bytes(part.offset(), part.length()));
    }
  }

  private boolean same(Part part) throws StorageException {
    Question<ByteString> sums =
        replica -> replica.regionSums(part.image(), part.offset(), part.length());
    try {
      return likeTarget(ask(part.turn(), sums), sums);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.UNSUPPORTED) {
        // A node of an earlier release supports only checksums of parts.
        return false;
      }
      throw e;
    }
  }

  private boolean alike(Part part) throws StorageException {
    Question<String> sum = replica -> replica.checksum(part.image(), part.offset(), part.length());
    return likeTarget(ask(part.turn(), sum), sum);
  }

  // Unreadable data of the target is overwritten, because a disk remaps a bad sector on a write.
  private <T> boolean likeTarget(T wanted, Question<T> question) throws StorageException {
    try {
      return wanted.equals(question.to(target));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.IO) {
        return false;
      }
      throw e;
    }
  }

  private Optional<StorageException> move(
      Member source, LayerTransferStream bytes, long offset, int length) throws StorageException {
    try {
      pace.await(length);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.IO, "the rebuild was interrupted", e);
    }
    if (over.getAsBoolean()) {
      throw new StorageException(ErrorCode.IO, "the rebuild was cancelled");
    }
    try {
      bytes.read(source, offset, length);
    } catch (StorageException e) {
      return Optional.of(e);
    }
    bytes.write(offset);
    done.addAndGet(length);
    return Optional.empty();
  }

  private <T> T ask(int turn, Question<T> question) throws StorageException {
    StorageException failure = null;
    List<Member> members = sources.all();
    for (int i = 0; i < members.size(); i++) {
      try {
        return question.to(new LayerAccess(members.get((turn + i) % members.size())));
      } catch (StorageException e) {
        failure = e;
      }
    }
    throw failure;
  }
}
