package dev.holdfast.engine.sparse.internal.forward;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Links to volumes on other nodes. The transport may arrive after the engine and leave before it.
 */
public final class DynamicVolumeLinks implements VolumeLinks {
  private final AtomicReference<Optional<VolumeLinks>> present =
      new AtomicReference<>(Optional.empty());

  /** Uses the links of a transport that arrived. */
  public void arrived(VolumeLinks links) {
    present.set(Optional.of(links));
  }

  /** Stops using the links of a transport that left. */
  public void left(VolumeLinks links) {
    present.updateAndGet(now -> now.filter(each -> each != links));
  }

  @Override
  public Joined join(String volume, String node, Duration timeout, Consumer<StorageException> lost)
      throws StorageException {
    Optional<VolumeLinks> now = present.get();
    if (now.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "volume " + volume + ": node " + node + " cannot be called at the moment");
    }
    return now.get().join(volume, node, timeout, lost);
  }
}
