package dev.holdfast.share.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.share.ShareStop;
import dev.holdfast.share.WriteProbe;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A server whose host is a map. A defect breaks one rule of the contract. */
final class MemoryShareServer implements ShareServer {
  /** Defects that can be planted. */
  enum Defect {
    NONE,
    ACCEPTS_LOWER_EPOCH,
    KEEPS_LOWER_EPOCH,
    IGNORES_CLIENTS,
    OBSERVES_EVERY_EPOCH,
    PROBES_EVERY_EPOCH,
    LEAVES_SHARE_AFTER_MOVE,
    EXPELS_EQUAL_EPOCH_ONLY,
    GROWS_WITHOUT_MOUNT,
    TAKES_BUSY_PORT,
    FORGETS_AT_REPLACEMENT
  }

  private final Map<String, ShareRequest> host;
  private final Defect defect;

  MemoryShareServer(Map<String, ShareRequest> host, Defect defect) {
    this.host = host;
    this.defect = defect;
    if (defect == Defect.FORGETS_AT_REPLACEMENT) {
      host.clear();
    }
  }

  @Override
  public String protocol() {
    return "memory";
  }

  @Override
  public List<String> missingPackages(Optional<ShareRequest> request) {
    return List.of();
  }

  @Override
  public void start(ShareRequest request, Duration limit) throws StorageException {
    if (defect != Defect.ACCEPTS_LOWER_EPOCH) {
      requireNoHigher(request.instance());
    }
    if (!request.address().ip().startsWith("127.")) {
      throw new StorageException(ErrorCode.INVALID, "address: this host does not have it");
    }
    if (defect != Defect.TAKES_BUSY_PORT && !isFree(request.port())) {
      throw new StorageException(ErrorCode.BUSY, "port " + request.port() + " is in use");
    }
    ShareRequest present = host.get(request.volume());
    boolean kept = present != null && present.epoch() < request.epoch();
    if (kept && defect == Defect.KEEPS_LOWER_EPOCH) {
      host.put(request.volume() + "-former", present);
    }
    host.put(request.volume(), request);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (java.io.IOException e) {
      return false;
    }
  }

  private void requireNoHigher(ShareInstance instance) throws StorageException {
    ShareRequest present = host.get(instance.volume());
    if (present != null && present.epoch() > instance.epoch()) {
      throw new StorageException(ErrorCode.CONFLICT, "epoch " + present.epoch() + " is present");
    }
  }

  @Override
  public ShareObservation observe(ShareRequest request, Duration limit) {
    ShareRequest present = host.get(request.volume());
    boolean same = present != null && present.epoch() == request.epoch();
    if (present == null || (!same && defect != Defect.OBSERVES_EVERY_EPOCH)) {
      return ShareObservation.NOTHING;
    }
    boolean current =
        defect == Defect.IGNORES_CLIENTS || present.clients().equals(request.clients());
    return ShareObservation.NOTHING
        .withPresent(true)
        .withDevice(true)
        .withMounted(true)
        .withProcess(ServerProcess.RUNNING)
        .withAnswers(true)
        .withExported(true)
        .withCurrent(current)
        .withProbe(WriteProbe.WRITTEN)
        .withSize(present.size())
        .withEndpoint(
            "memory://" + present.address().ip() + ":" + present.port() + "/" + present.volume());
  }

  @Override
  public WriteProbe probe(ShareInstance instance, Duration limit) {
    ShareRequest present = host.get(instance.volume());
    boolean same = present != null && present.epoch() == instance.epoch();
    return same || (present != null && defect == Defect.PROBES_EVERY_EPOCH)
        ? WriteProbe.WRITTEN
        : WriteProbe.NOT_MOUNTED;
  }

  @Override
  public void stop(ShareInstance instance, ShareStop how, Duration limit) throws StorageException {
    requireNoHigher(instance);
    if (how == ShareStop.END || defect != Defect.LEAVES_SHARE_AFTER_MOVE) {
      host.remove(instance.volume());
    }
  }

  @Override
  public void expel(ShareInstance instance) throws StorageException {
    requireNoHigher(instance);
    ShareRequest present = host.get(instance.volume());
    boolean equal = present != null && present.epoch() == instance.epoch();
    if (equal || defect != Defect.EXPELS_EQUAL_EPOCH_ONLY) {
      host.remove(instance.volume());
    }
  }

  @Override
  public List<ShareInstance> instances() {
    return host.values().stream().map(ShareRequest::instance).toList();
  }

  @Override
  public void repair(ShareRequest request, Duration limit) throws StorageException {
    start(request, limit);
  }

  @Override
  public void grow(ShareRequest request) throws StorageException {
    if (defect != Defect.GROWS_WITHOUT_MOUNT) {
      requirePresent(request);
    }
  }

  @Override
  public long trim(ShareRequest request) throws StorageException {
    requirePresent(request);
    return 0;
  }

  private void requirePresent(ShareRequest request) throws StorageException {
    if (!host.containsKey(request.volume())) {
      throw new StorageException(ErrorCode.INVALID, request.volume() + " is not mounted");
    }
  }
}
