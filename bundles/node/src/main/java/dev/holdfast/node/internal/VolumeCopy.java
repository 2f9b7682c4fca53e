package dev.holdfast.node.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.CloneState;
import dev.holdfast.resource.CloneStatus;
import dev.holdfast.resource.Volume;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * One copying of a snapshot into a volume, both open in this process. Goes piece by piece; each
 * piece is read in a step of the source's path and written in one of the copy's, so that either can
 * be closed in between and nothing touches what is closed. What the copy has where the snapshot has
 * nothing is zeroed: so an earlier copying that broke off, of another snapshot even, leaves no
 * trace.
 */
final class VolumeCopy {
  private static final int MOST_DATA = 8 << 20;
  private static final long WINDOW = 1L << 30;

  private final DataPaths paths;
  private final String source;
  private final String snapshot;
  private final String target;
  private final Volume copy;
  private Optional<OpenVolume> opened = Optional.empty();

  /** A part of a device. */
  private record Range(long offset, long length) {
    long end() {
      return offset + length;
    }
  }

  /** Bytes of the snapshot. */
  private record Data(long offset, ByteBuffer bytes) {}

  /** The snapshot up to an offset: what is not in the data is zero. */
  private record Piece(long end, List<Data> data) {}

  /** A request to a device. */
  private interface Request extends Consumer<Completion> {}

  /**
   * Creates a copying.
   *
   * @param source the engine of the volume that is copied
   * @param snapshot its name in that volume
   * @param target the engine of the copy
   * @param copy as it was when it was to be copied
   */
  VolumeCopy(DataPaths paths, String source, String snapshot, String target, Volume copy) {
    this.paths = paths;
    this.source = source;
    this.snapshot = snapshot;
    this.target = target;
    this.copy = copy;
  }

  /**
   * Copies everything, durably.
   *
   * @return the status of the attempt that this was
   * @throws StorageException UNREACHABLE when one of the two was closed meanwhile; CONFLICT when
   *     nothing is to be copied any more; NOT_FOUND without the snapshot; NO_SPACE; IO
   */
  CloneStatus run() throws StorageException {
    CloneStatus attempt = step(target, this::begin);
    long size = step(target, (volume, view) -> checked(volume, view).device().size());
    long offset = 0;
    while (offset < size) {
      long from = offset;
      Piece piece = step(source, (volume, view) -> read(volume, from, size));
      step(target, (volume, view) -> write(checked(volume, view).device(), from, piece));
      offset = piece.end();
    }
    step(
        target,
        (volume, view) -> {
          await(checked(volume, view).device()::flush);
          return volume;
        });
    return attempt;
  }

  private <T> T step(String engine, DataPath.Operation<T> operation) throws StorageException {
    return join(paths.operate(engine, operation));
  }

  /**
   * Asked of the store while the volume is open here and nobody uses it: what the cache says may be
   * from before it was copied and used.
   */
  private CloneStatus begin(OpenVolume volume, PathView view) throws StorageException {
    Optional<CloneStatus> attempt =
        paths
            .store()
            .get(Volume.KIND, copy.name())
            .filter(v -> v.metadata().uid().equals(copy.metadata().uid()))
            .map(v -> v.status().cloneStatus())
            .filter(status -> status.state() == CloneState.INITIATED);
    opened = Optional.of(volume);
    checked(volume, view);
    return attempt.orElseThrow(
        () ->
            new StorageException(
                ErrorCode.CONFLICT, "volume " + copy.name() + " is not to be copied any more"));
  }

  /** What was opened anew may be in use by others. */
  private OpenVolume checked(OpenVolume volume, PathView view) throws StorageException {
    if (opened.filter(o -> o == volume).isEmpty() || !view.frontend().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "volume " + copy.name() + " was opened anew");
    }
    return volume;
  }

  private Piece read(OpenVolume volume, long from, long size) throws StorageException {
    if (!(volume instanceof SnapshotVolume snapshots)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, "the engine of " + source + " keeps no snapshots to be copied");
    }
    try (BlockDevice device = snapshots.openSnapshot(snapshot)) {
      long end = Math.min(size, from + WINDOW);
      long readable = Math.min(device.size(), end);
      if (readable <= from) {
        return new Piece(end, List.of());
      }
      List<Range> found = allocated(device, new Range(from, readable - from), MOST_DATA);
      List<Data> data = new ArrayList<>();
      long total = 0;
      for (Range range : found) {
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) range.length());
        await(completion -> device.read(range.offset(), bytes, completion));
        data.add(new Data(range.offset(), bytes.flip()));
        total += range.length();
      }
      boolean more = total >= MOST_DATA;
      return new Piece(more ? found.get(found.size() - 1).end() : end, data);
    }
  }

  /** Returns what is allocated in a range, in order, no more bytes than asked for. */
  private static List<Range> allocated(BlockDevice device, Range within, long most)
      throws StorageException {
    List<Range> found = new ArrayList<>();
    long[] left = {most};
    await(
        completion ->
            device.extents(
                within.offset(),
                within.length(),
                (offset, length, kind) -> {
                  long start = Math.max(offset, within.offset());
                  long taken = Math.min(Math.min(offset + length, within.end()) - start, left[0]);
                  if (kind == ExtentKind.DATA && taken > 0) {
                    found.add(new Range(start, taken));
                    left[0] -= taken;
                  }
                  return left[0] > 0;
                },
                completion));
    return found;
  }

  private static Piece write(BlockDevice device, long from, Piece piece) throws StorageException {
    long clean = from;
    for (Data data : piece.data()) {
      zero(device, clean, data.offset());
      clean = data.offset() + data.bytes().remaining();
      await(
          completion ->
              device.write(data.offset(), data.bytes().duplicate(), IoFlags.NONE, completion));
    }
    zero(device, clean, piece.end());
    return piece;
  }

  private static void zero(BlockDevice device, long from, long end) throws StorageException {
    if (from < end) {
      for (Range range : allocated(device, new Range(from, end - from), Long.MAX_VALUE)) {
        await(
            completion ->
                device.writeZeroes(range.offset(), range.length(), IoFlags.NONE, completion));
      }
    }
  }

  private static void await(Request request) throws StorageException {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    request.accept(
        failure -> {
          if (failure == null) {
            outcome.complete(null);
          } else {
            outcome.completeExceptionally(failure);
          }
        });
    join(outcome);
  }

  private static <T> T join(CompletableFuture<T> outcome) throws StorageException {
    try {
      return outcome.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StorageException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
