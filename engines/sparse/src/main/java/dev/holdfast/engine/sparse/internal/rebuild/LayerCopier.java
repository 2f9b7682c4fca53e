package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.sparse.internal.members.Fan;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Makes a layer of the target like that of the members. Only pieces that differ travel: they are
 * compared by checksums first, so a copy that was broken off goes on where it was. Several pieces
 * are under way at once, each from another member that has the same layers.
 */
final class LayerCopier {
  private static final int STREAMS = 4;
  private static final long PIECE = 4L << 20;
  // Where nothing is compared, asking less often is all the same.
  private static final long BARE_PIECE = 1L << Regions.SHIFT;
  private static final int READ = 1 << 20;

  /** A part of a layer. */
  private record Piece(LayerEntry layer, long offset, long length, boolean bare, boolean counted) {}

  /** Tells of whom a layer can be copied at the moment, of one at least. */
  @FunctionalInterface
  interface Sources {
    List<Member> all() throws StorageException;
  }

  /** What is asked of some member. */
  @FunctionalInterface
  private interface Question<T> {
    T to(LayerAccess source) throws StorageException;
  }

  private final LayerAccess target;
  private final Sources sources;
  private final Fan fan;
  private final RebuildPace pace;
  private final BooleanSupplier over;
  private final AtomicLong total = new AtomicLong();
  private final AtomicLong done = new AtomicLong();

  /**
   * Prepares copies.
   *
   * @param sources who has the layers at the moment
   * @param over whether to break off
   */
  LayerCopier(
      LayerAccess target, Sources sources, Fan fan, RebuildPace pace, BooleanSupplier over) {
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

  /** Counts a layer that is needed whole. */
  void foresee(LayerEntry layer) throws StorageException {
    total.addAndGet(ask(0, source -> source.data(layer.getImage(), 0, layer.getSize())));
  }

  /**
   * Copies a layer and then its metadata.
   *
   * @param regions which of it may differ
   * @param foreseen whether its bytes were counted, because the target has nothing of it
   */
  void copy(LayerEntry layer, BitSet regions, boolean foreseen) throws StorageException {
    target.begin(layer.getImage(), layer.getSize());
    // A copy that was broken off may have left what the members have changed since.
    boolean bare = target.data(layer.getImage(), 0, layer.getSize()) == 0;
    long step = bare ? BARE_PIECE : PIECE;
    List<Piece> pieces = new ArrayList<>();
    for (long at = 0; at < layer.getSize(); at += step) {
      if (regions.get(Regions.of(at))) {
        long length = Math.min(step, layer.getSize() - at);
        pieces.add(new Piece(layer, at, length, bare, foreseen));
      }
    }
    AtomicInteger next = new AtomicInteger();
    for (StorageException failure :
        fan.all(
            Math.min(STREAMS, pieces.size()),
            stream -> {
              try (LayerStream bytes = new LayerStream(layer.getImage(), target.member(), READ)) {
                stream(pieces, next, bytes);
              }
            })) {
      if (failure != null) {
        throw failure;
      }
    }
    target.complete(layer);
  }

  private void stream(List<Piece> pieces, AtomicInteger next, LayerStream bytes)
      throws StorageException {
    int at = next.getAndIncrement();
    while (at < pieces.size()) {
      boolean copied = false;
      try {
        copy(pieces.get(at), at, bytes);
        copied = true;
      } finally {
        if (!copied) {
          next.set(pieces.size());
        }
      }
      at = next.getAndIncrement();
    }
  }

  private void copy(Piece piece, int turn, LayerStream bytes) throws StorageException {
    String image = piece.layer().getImage();
    long offset = piece.offset();
    long length = piece.length();
    boolean bare = piece.bare() || target.data(image, offset, length) == 0;
    if (!bare && alike(piece, turn)) {
      if (piece.counted()) {
        done.addAndGet(ask(turn, source -> source.data(image, offset, length)));
      }
      return;
    }
    if (!piece.counted()) {
      total.addAndGet(ask(turn, source -> source.data(image, offset, length)));
    }
    if (!bare) {
      target.punch(image, offset, length);
    }
    List<long[]> ranges = ask(turn, source -> ranges(source, image, offset, length));
    for (long[] range : ranges) {
      for (long at = range[0]; at < range[1]; at += READ) {
        move(bytes, at, (int) Math.min(READ, range[1] - at), turn);
      }
    }
  }

  private boolean alike(Piece piece, int turn) throws StorageException {
    String image = piece.layer().getImage();
    String wanted = ask(turn, source -> source.checksum(image, piece.offset(), piece.length()));
    return wanted.equals(target.checksum(image, piece.offset(), piece.length()));
  }

  private static List<long[]> ranges(LayerAccess source, String image, long offset, long length)
      throws StorageException {
    List<long[]> ranges = new ArrayList<>();
    source.extents(
        image,
        offset,
        length,
        (at, count, kind) -> {
          if (kind == ExtentKind.DATA) {
            ranges.add(new long[] {at, at + count});
          }
          return true;
        });
    return ranges;
  }

  private void move(LayerStream bytes, long offset, int length, int turn) throws StorageException {
    try {
      pace.await(length);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.IO, "the rebuild was interrupted", e);
    }
    if (over.getAsBoolean()) {
      throw new StorageException(ErrorCode.IO, "the rebuild was broken off");
    }
    ask(
        turn,
        source -> {
          bytes.read(source.member(), offset, length);
          return source;
        });
    bytes.write(offset);
    done.addAndGet(length);
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
