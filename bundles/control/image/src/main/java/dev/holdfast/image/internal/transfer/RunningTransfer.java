package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One transfer into the file of its disk. Runs on one thread; other threads observe it. */
final class RunningTransfer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningTransfer.class);
  private static final Duration FIRST_BYTE = Duration.ofSeconds(30);
  private static final Duration STALL = Duration.ofSeconds(60);
  private static final long LEAST_BYTES = 64 << 10;

  private final ImageSourceProvider source;
  private final ImageRequest request;
  private final Path path;
  private final long largest;
  private final String expected;
  private volatile Optional<TransferReport> outcome = Optional.empty();
  private ImageTransfer transfer;
  private TransferFile file;
  private String ended = "";
  private long markedAt = System.nanoTime();
  private long markedPosition = -1;

  RunningTransfer(
      ImageSourceProvider source, ImageRequest request, Path path, long largest, String expected) {
    this.source = source;
    this.request = request;
    this.path = path;
    this.largest = largest;
    this.expected = expected;
  }

  @Override
  public void run() {
    try (ImageTransfer begun = source.begin(request);
        TransferFile opened = TransferFile.open(request.image(), path, largest)) {
      begin(begun, opened);
      begun.run(opened);
      String checksum = opened.finish();
      requireExpected(checksum);
      outcome = Optional.of(TransferReport.arrived(opened.position(), checksum, opened.isDisk()));
    } catch (StorageException e) {
      outcome = Optional.of(failed(e.code(), String.valueOf(e.getMessage())));
    } catch (RuntimeException e) {
      LOG.error("image {}: source {} failed", request.image(), source.name(), e);
      outcome = Optional.of(failed(ErrorCode.INTERNAL, "image source " + source.name() + ": " + e));
    }
  }

  private synchronized TransferReport failed(ErrorCode code, String message) {
    return ended.isEmpty()
        ? TransferReport.failed(code, message)
        : TransferReport.failed(ErrorCode.TIMEOUT, "image " + request.image() + ": " + ended);
  }

  private synchronized void begin(ImageTransfer begun, TransferFile opened)
      throws StorageException {
    if (!ended.isEmpty()) {
      throw new StorageException(ErrorCode.TIMEOUT, ended);
    }
    transfer = begun;
    file = opened;
  }

  private void requireExpected(String checksum) throws StorageException {
    if (!expected.isEmpty() && !expected.toLowerCase(Locale.ROOT).equals(checksum)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "image "
              + request.image()
              + ": the SHA-512 of the delivered file is "
              + checksum
              + ", expected "
              + expected);
    }
  }

  /** Ends a transfer whose source is silent or too slow. Returns its progress. */
  synchronized TransferReport observe() {
    if (outcome.isPresent()) {
      return outcome.get();
    }
    long position = file == null ? 0 : file.position();
    Duration silence = Duration.ofNanos(System.nanoTime() - markedAt);
    if (markedPosition < 0 || position - markedPosition >= LEAST_BYTES) {
      markedAt = System.nanoTime();
      markedPosition = position;
    } else if (silence.compareTo(position == 0 ? FIRST_BYTE.plus(STALL) : STALL) > 0) {
      end("fewer than " + LEAST_BYTES + " bytes arrived within " + silence.toSeconds() + " s");
    }
    return TransferReport.running(position, file == null ? 0 : file.total());
  }

  /** Ends the transfer. */
  synchronized void end(String why) {
    ended = why;
    if (file != null) {
      file.end(why);
    }
    if (transfer != null) {
      transfer.close();
    }
  }

  boolean isOver() {
    return outcome.isPresent();
  }
}
