package dev.holdfast.datapath.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.AccessState;
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

/** A portal that gives tests access to the published devices. */
public final class FakePortal implements Portal {
  private final Map<String, BlockDevice> exports = new ConcurrentHashMap<>();
  private final Map<String, AccessState> states = new ConcurrentHashMap<>();
  private volatile boolean refusing;
  private volatile boolean withPaths;
  private volatile int connected;

  /** Sets whether publications fail. */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /** Sets whether protocols of later exports support several paths; by default they do not. */
  public void offerPaths(boolean offer) {
    withPaths = offer;
  }

  /** Sets the number of connected clients of each export. */
  public void connect(int clients) {
    connected = clients;
  }

  /** Returns whether the path of an export serves; true for an export without a path. */
  public boolean serves(String export) {
    return exports.containsKey(export)
        && states.getOrDefault(export, AccessState.OPTIMIZED) == AccessState.OPTIMIZED;
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
    if (!withPaths) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "protocol " + frontend + " has no paths");
    }
    PublishedExport published = publish(frontend, export, device);
    states.put(export, path.access());
    return published;
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
        return connected;
      }

      @Override
      public void access(AccessState access) throws StorageException {
        if (!states.containsKey(export)) {
          throw new StorageException(ErrorCode.UNSUPPORTED, "export " + export + " has no path");
        }
        states.put(export, access);
      }

      @Override
      public void close() {
        states.remove(export);
        exports.remove(export, device);
      }
    };
  }
}
