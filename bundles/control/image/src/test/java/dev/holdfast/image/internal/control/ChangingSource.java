package dev.holdfast.image.internal.control;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceParameter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A source that fails at random, and whose image may be replaced by a newer version. */
final class ChangingSource implements ImageSourceProvider {
  static final String NAME = "changing";
  private static final int PIECE = 4096;

  private final List<byte[]> versions;
  private final Random random;

  /** Whether bytes of another version are discarded; a planted fault disables this. */
  boolean restarts = true;

  /** Whether transfers fail. */
  boolean breaks = true;

  /** Index of the currently delivered version. */
  int version;

  ChangingSource(List<byte[]> versions, Random random) {
    this.versions = List.copyOf(versions);
    this.random = random;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<SourceParameter> parameters() {
    return List.of();
  }

  @Override
  public boolean takesBody() {
    return false;
  }

  @Override
  public ImageTransfer begin(ImageRequest request) {
    return new ImageTransfer() {
      @Override
      public void run(ImageSink sink) throws StorageException {
        deliver(sink);
      }

      @Override
      public void close() {
        // The transfer runs on the thread of the controller, which cannot end it early.
      }
    };
  }

  private void deliver(ImageSink sink) throws StorageException {
    byte[] content = versions.get(version);
    String tag = "version " + version;
    boolean known = restarts ? sink.mark().filter(tag::equals).isPresent() : sink.position() > 0;
    if (!known) {
      sink.restart(Optional.of(tag));
    }
    sink.total(content.length);
    while (sink.position() < content.length) {
      if (breaks && random.nextInt(6) == 0) {
        throw new StorageException(ErrorCode.UNREACHABLE, "the server broke off");
      }
      int at = (int) sink.position();
      sink.write(ByteBuffer.wrap(content, at, Math.min(PIECE, content.length - at)));
    }
  }
}
