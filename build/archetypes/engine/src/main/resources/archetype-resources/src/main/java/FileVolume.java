package ${package};

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.Map;

/** An open volume: its replica is labelled unclean until it is closed in order. */
final class FileVolume implements OpenVolume {
  private final ReplicaDirectory directory;
  private final OpenRequest request;
  private final FileDevice device;

  FileVolume(ReplicaDirectory directory, OpenRequest request) throws StorageException {
    this.directory = directory;
    this.request = request;
    try {
      directory.label(request.sizeBytes(), false);
      device = new FileDevice(request.volume(), request.sizeBytes(), directory.data());
    } catch (IOException e) {
      throw directory.failed("cannot be opened", e);
    }
  }

  boolean isOpen() {
    return device.isOpen();
  }

  /** Ends this opening because another one takes over. */
  void supersede() throws StorageException {
    StorageException cause =
        new StorageException(ErrorCode.FORBIDDEN, request.volume() + " was taken over");
    if (end(cause)) {
      request.listener().failed(cause);
    }
  }

  @Override
  public void close() throws StorageException {
    end(new StorageException(ErrorCode.IO, request.volume() + " is closed"));
  }

  private boolean end(StorageException cause) throws StorageException {
    try {
      boolean first = device.end(cause, true);
      if (first) {
        directory.label(request.sizeBytes(), true);
      }
      return first;
    } catch (IOException e) {
      throw directory.failed("cannot be closed in order", e);
    }
  }

  @Override
  public BlockDevice device() {
    return device;
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of(directory.location().replica(), MemberMode.RW);
  }
}
