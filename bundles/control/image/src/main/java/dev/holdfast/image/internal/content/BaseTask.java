package dev.holdfast.image.internal.content;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.diskimage.DiskImages;
import dev.holdfast.diskimage.FileBytes;
import dev.holdfast.diskimage.ImageFormat;
import dev.holdfast.diskimage.VirtualDisk;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work on one base: filling it, or hashing it again. Runs on one thread; other threads observe it.
 */
public final class BaseTask implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(BaseTask.class);
  private static final long BLOCK = 4096;

  private final Work work;
  private volatile boolean cancelled;
  private volatile int progress;
  private volatile Optional<Outcome> outcome = Optional.empty();

  /** Does the work and returns the result. */
  private interface Work {
    Outcome run(BaseTask task) throws StorageException;
  }

  /**
   * Result of the work.
   *
   * @param failure empty on success
   * @param format of the delivered file; empty when the content came from another copy
   * @param virtualSize bytes of the disk
   * @param contentChecksum of the content
   */
  public record Outcome(
      Optional<StorageException> failure,
      String format,
      long virtualSize,
      String contentChecksum) {}

  private BaseTask(Work work) {
    this.work = work;
  }

  /**
   * Fills a base with the content of a delivered file.
   *
   * @param file raw or qcow2
   * @param format of the file; empty to detect it by its first bytes
   * @param largest size of the disk
   */
  public static BaseTask fetch(
      BaseEngine engine, BaseLocation base, Path file, Optional<ImageFormat> format, long largest) {
    return new BaseTask(
        task -> {
          try (VirtualDisk disk =
              DiskImages.open(FileBytes.open(base.image(), file), format, largest)) {
            String checksum =
                task.fill(engine, base, disk.size(), sink -> DiskContent.copy(disk, sink));
            return done(disk.format().toString(), disk.size(), checksum);
          }
        });
  }

  /**
   * Fills a base with the content of another copy, which has the checksum of the base. Regions that
   * an earlier attempt made durable are not copied again. A base with wrong content is deleted.
   *
   * @param virtualSize bytes of the disk
   * @param source of the content
   */
  public static BaseTask sync(
      BaseEngine engine, BaseLocation base, long virtualSize, RangeSource source) {
    return new BaseTask(
        task -> done("", virtualSize, task.complete(engine, base, virtualSize, source)));
  }

  /** Hashes a sealed base and confirms it if its checksum is right. */
  public static BaseTask verify(BaseEngine engine, BaseLocation base, long virtualSize) {
    return new BaseTask(
        task -> {
          String checksum;
          try (BlockDevice device = engine.openBase(base.withContentChecksum(""))) {
            DigestSink sink = new DigestSink(virtualSize, task::advanced, task::isCancelled);
            DiskContent.copy(device, sink);
            checksum = sink.finish();
          }
          requireSame(base, checksum);
          engine.confirmBase(base.withContentChecksum(checksum));
          return done("", virtualSize, checksum);
        });
  }

  private static Outcome done(String format, long virtualSize, String checksum) {
    return new Outcome(Optional.empty(), format, virtualSize, checksum);
  }

  /** Returns the size of a disk that is padded with zeroes to whole blocks. */
  private static long padded(long size) {
    return (size + BLOCK - 1) / BLOCK * BLOCK;
  }

  private String fill(BaseEngine engine, BaseLocation base, long size, ContentSource source)
      throws StorageException {
    try (BaseWriter writer = engine.createBase(base.withContentChecksum(""), padded(size))) {
      DeviceSink sink = sink(writer, size, false);
      source.copyTo(sink);
      String checksum = sink.finish();
      requireSame(base, checksum);
      writer.seal(checksum);
      return checksum;
    }
  }

  private String complete(BaseEngine engine, BaseLocation base, long size, RangeSource source)
      throws StorageException {
    String checksum;
    try (BaseWriter writer = engine.createBase(base.withContentChecksum(""), padded(size))) {
      int durable = writer.written().cardinality();
      if (durable > 0) {
        LOG.info("image {}: continuing a copy with {} regions", base.image(), durable);
      }
      DeviceSink sink = sink(writer, size, true);
      MissingContent.fill(writer, size, sink, source);
      checksum = sink.finish();
      if (checksum.equals(base.contentChecksum())) {
        writer.seal(checksum);
        return checksum;
      }
    }
    engine.deleteBase(base.withContentChecksum(""));
    throw other(base, checksum);
  }

  private DeviceSink sink(BaseWriter writer, long size, boolean resumable) {
    return new DeviceSink(
        writer.device(), size, at -> advanced(at, size), this::isCancelled, resumable);
  }

  private static void requireSame(BaseLocation base, String checksum) throws StorageException {
    if (!base.contentChecksum().isEmpty() && !base.contentChecksum().equals(checksum)) {
      throw other(base, checksum);
    }
  }

  private static StorageException other(BaseLocation base, String checksum) {
    return new StorageException(
        ErrorCode.INVALID,
        "image "
            + base.image()
            + ": the content has the checksum "
            + checksum
            + ", expected "
            + base.contentChecksum());
  }

  private void advanced(long at, long size) {
    progress = size == 0 ? 100 : (int) (at * 100 / size);
  }

  private boolean isCancelled() {
    return cancelled;
  }

  @Override
  public void run() {
    try {
      outcome = Optional.of(work.run(this));
    } catch (StorageException e) {
      outcome = Optional.of(new Outcome(Optional.of(e), "", 0, ""));
    } catch (RuntimeException | Error e) {
      outcome =
          Optional.of(
              new Outcome(
                  Optional.of(new StorageException(ErrorCode.INTERNAL, "failed: " + e, e)),
                  "",
                  0,
                  ""));
      throw e;
    }
  }

  /** Requests the end of the work. */
  public void cancel() {
    cancelled = true;
  }

  /** Returns the percentage of the content that was processed. */
  public int progress() {
    return progress;
  }

  /** Returns the result, empty while the work runs. */
  public Optional<Outcome> outcome() {
    return outcome;
  }
}
