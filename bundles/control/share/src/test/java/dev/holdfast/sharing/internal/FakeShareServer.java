package dev.holdfast.sharing.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.share.LeasedShares;
import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.share.ShareStop;
import dev.holdfast.share.WriteProbe;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The server of one host. Its servers and mounts outlive the platform's processes. */
final class FakeShareServer implements ShareServer, LeasedShares {
  private final String node;
  private final ShareHosts hosts;
  private final Map<String, Made> made = new TreeMap<>();
  private Optional<Duration> limit = Optional.empty();

  FakeShareServer(String node, ShareHosts hosts) {
    this.node = node;
    this.hosts = hosts;
  }

  /** Parts of one share on the host. */
  static final class Made {
    final long epoch;
    URI device;
    ServerProcess process = ServerProcess.ABSENT;
    boolean hung;

    /** Whether writes hang. */
    boolean frozen;

    boolean broken;
    long size;

    Made(long epoch, URI device) {
      this.epoch = epoch;
      this.device = device;
    }
  }

  /** Returns the parts of shares on the host, for faults and checks. */
  Map<String, Made> made() {
    return made;
  }

  @Override
  public void prolong(Optional<Duration> time) {
    limit = time;
  }

  /** Returns for how long the servers may run without the container; empty without a limit. */
  Optional<Duration> limit() {
    return limit;
  }

  @Override
  public String protocol() {
    return "nfs";
  }

  @Override
  public List<String> missingPackages(Optional<ShareRequest> request) {
    return List.of();
  }

  @Override
  public void start(ShareRequest request, Duration limit) throws StorageException {
    requireNoLater(request.instance());
    hosts.begins(node, request);
    if (hosts.fails()) {
      throw new StorageException(ErrorCode.IO, "the device does not answer");
    }
    Made present = made.get(request.volume());
    if (present == null || present.epoch < request.epoch()) {
      present = new Made(request.epoch(), request.device());
      made.put(request.volume(), present);
    }
    present.device = request.device();
    present.size = hosts.fails() ? present.size : request.size();
    if (hosts.fails()) {
      throw new StorageException(ErrorCode.TIMEOUT, "the server does not answer");
    }
    present.process = ServerProcess.RUNNING;
    present.hung = false;
    if (hosts.serves(node, request.volume(), present)) {
      hosts.exported(node, request);
    }
  }

  private void requireNoLater(ShareInstance instance) throws StorageException {
    Made present = made.get(instance.volume());
    if (present != null && present.epoch > instance.epoch()) {
      throw new StorageException(ErrorCode.CONFLICT, "epoch " + present.epoch + " is present");
    }
  }

  @Override
  public ShareObservation observe(ShareRequest request, Duration limit) {
    Made present = made.get(request.volume());
    if (present == null || present.epoch != request.epoch()) {
      return ShareObservation.NOTHING;
    }
    boolean device = hosts.isAlive(node, request.volume(), present.device);
    boolean runs = present.process == ServerProcess.RUNNING;
    return ShareObservation.NOTHING
        .withPresent(true)
        .withDevice(device)
        .withMounted(true)
        .withProcess(present.process)
        .withAnswers(runs && !present.hung)
        .withExported(runs)
        .withCurrent(true)
        .withProbe(probe(present, device))
        .withEndpoint(runs ? ShareHosts.endpoint(node, request) : "")
        .withSize(present.size)
        .withServerVersion("fake");
  }

  @Override
  public WriteProbe probe(ShareInstance instance, Duration limit) {
    Made present = made.get(instance.volume());
    return present == null || present.epoch != instance.epoch()
        ? WriteProbe.NOT_MOUNTED
        : probe(present, hosts.isAlive(node, instance.volume(), present.device));
  }

  private static WriteProbe probe(Made present, boolean device) {
    if (!device || present.broken) {
      return WriteProbe.FAILED;
    }
    return present.frozen ? WriteProbe.TIMED_OUT : WriteProbe.WRITTEN;
  }

  @Override
  public void stop(ShareInstance instance, ShareStop how, Duration limit) throws StorageException {
    requireNoLater(instance);
    if (hosts.fails()) {
      throw new StorageException(ErrorCode.BUSY, "the mount is in use");
    }
    made.remove(instance.volume());
  }

  @Override
  public void expel(ShareInstance instance) throws StorageException {
    requireNoLater(instance);
    if (hosts.fails()) {
      throw new StorageException(ErrorCode.TIMEOUT, "the device does not answer");
    }
    made.remove(instance.volume());
  }

  @Override
  public List<ShareInstance> instances() {
    return made.entrySet().stream()
        .map(entry -> new ShareInstance(entry.getKey(), entry.getValue().epoch))
        .toList();
  }

  @Override
  public void repair(ShareRequest request, Duration limit) throws StorageException {
    start(request, limit);
    made.get(request.volume()).broken = hosts.fails();
  }

  @Override
  public void grow(ShareRequest request) throws StorageException {
    requireMade(request);
    if (hosts.fails()) {
      throw new StorageException(ErrorCode.IO, "resize2fs: the filesystem has errors");
    }
    made.get(request.volume()).size = request.size();
  }

  @Override
  public long trim(ShareRequest request) {
    requireMade(request);
    return 0;
  }

  private void requireMade(ShareRequest request) {
    if (!made.containsKey(request.volume())) {
      throw new AssertionError("share " + request.volume() + " is not on node " + node);
    }
  }
}
