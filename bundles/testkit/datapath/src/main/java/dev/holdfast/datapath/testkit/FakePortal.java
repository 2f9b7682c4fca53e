package dev.holdfast.datapath.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** A portal that gives tests the devices that it was told to show. */
public final class FakePortal implements Portal {
  private final Map<String, BlockDevice> exports = new ConcurrentHashMap<>();
  private volatile boolean refusing;

  /** Publishing fails from now on, or works again. */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  public Optional<BlockDevice> device(String export) {
    return Optional.ofNullable(exports.get(export));
  }

  public Set<String> exports() {
    return new TreeSet<>(exports.keySet());
  }

  @Override
  public PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store)
      throws StorageException {
    return publish(frontend, export, device);
  }

  @Override
  public PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store, ExportPath path)
      throws StorageException {
    return publish(frontend, export, device);
  }

  @Override
  public PublishedExport publish(String frontend, String export, BlockDevice device)
      throws StorageException {
    if (refusing) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "frontend " + frontend + " is missing");
    }
    if (exports.putIfAbsent(export, device) != null) {
      throw new StorageException(ErrorCode.ALREADY_EXISTS, "export " + export + " exists");
    }
    return new PublishedExport() {
      @Override
      public URI endpoint() {
        return URI.create(frontend + "://127.0.0.1:10809/" + export);
      }

      @Override
      public int connections() {
        return 0;
      }

      @Override
      public void close() {
        exports.remove(export, device);
      }
    };
  }
}
