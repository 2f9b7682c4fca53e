package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.nfs.internal.address.FloatingAddress;
import dev.holdfast.share.nfs.internal.address.HostAddresses;
import dev.holdfast.share.nfs.internal.address.NfsConnection;
import dev.holdfast.share.nfs.internal.address.PortSilence;
import dev.holdfast.share.nfs.internal.address.Tickle;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaServer;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings;
import dev.holdfast.share.nfs.internal.ganesha.ServerLease;
import dev.holdfast.share.nfs.internal.volume.ShareMounts;
import dev.holdfast.share.nfs.internal.volume.VolumeDevice;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings one share to the state in which clients use it. Each step finds what is done already. */
final class NfsShare {
  private static final Logger LOG = LoggerFactory.getLogger(NfsShare.class);
  private static final Duration MOUNT = Duration.ofSeconds(60);

  private final ShareHost node;
  private final ShareRequest request;
  private final VolumeDevice device;
  private final ShareMounts mounts;
  private final GaneshaServer server;

  NfsShare(ShareHost node, ShareRequest request) {
    this.node = node;
    this.request = request;
    this.device = node.device(request.volume());
    this.mounts = node.mounts(request.volume(), MOUNT);
    this.server = node.server(request.volume());
  }

  void start() throws StorageException {
    GaneshaSettings settings = RequestSettings.of(request);
    new Requirements(node.host()).require(request);
    ShareRecord claimed = claim();
    requireAddress(claimed);
    Optional<FloatingAddress> floating = floating();
    if (floating.isPresent()) {
      floating.get().detect(); // while the filesystem is mounted
    }
    node.folder(request.volume()).create();
    new ServerLease(node.folder(request.volume())).prepare(request.address());
    ShareRecord mounted = mount(claimed);
    if (!server.keeps(settings, mounted.process())) {
      silence().begin();
    }
    List<NfsConnection> former =
        node.clients().load(request.volume(), node.folder(request.volume()).probe());
    try {
      if (floating.isPresent()) {
        floating.get().add(); // the server cannot listen at an address before this node has it
        floating.get().announce();
      }
      node.records()
          .write(mounted.served(server.start(settings, mounted.process(), () -> connect(former))));
    } finally {
      silence().end();
    }
  }

  /** Clients find the port open, and those that wait for the former server are told. */
  private void connect(List<NfsConnection> former) throws StorageException {
    silence().end();
    new Tickle(request.address().ip(), request.port()).send(former);
  }

  private Optional<FloatingAddress> floating() {
    return request.address().isFloating()
        ? Optional.of(new FloatingAddress(node.host(), request.address()))
        : Optional.empty();
  }

  private PortSilence silence() {
    return new PortSilence(node.host(), request.address().ip(), request.port());
  }

  private ShareRecord claim() throws StorageException {
    Optional<ShareRecord> earlier = node.records().find(request.volume());
    if (earlier.isEmpty()) {
      return node.records().write(ShareRecord.claim(request));
    }
    ShareRecord record = earlier.get();
    if (record.epoch() > request.epoch()) {
      throw node.superseded(record, request.epoch());
    }
    if (record.epoch() < request.epoch()) {
      new ShareRemoval(node, record).byForce();
      return node.records().write(ShareRecord.claim(request));
    }
    if (record.address().isFloating() && !record.address().equals(request.address())) {
      new FloatingAddress(node.host(), record.address()).remove();
    }
    return node.records().write(record.again(request));
  }

  private ShareRecord mount(ShareRecord record) throws StorageException {
    String raw = device.connect(request.device(), request.size());
    String clear =
        request.key().isPresent()
            ? device.open(raw, RequestSettings.key(request.key().get()))
            : raw;
    if (mounts.exported().isPresent() && !mounts.areOf(clear)) {
      removeFormer(record); // its device is gone and was connected again
    }
    boolean present = mounts.exported().isPresent();
    String type =
        device.filesystem(
            clear,
            Filesystem.named(request.filesystem().type()),
            request.filesystem().formatOptions());
    mounts.mount(clear, type, request.filesystem().mountOptions());
    return node.records()
        .write(record.mounted(clear, type, present ? record.size() : grown(clear, type)));
  }

  /** A filesystem that does not grow serves at its size; the platform asks for its growth again. */
  private long grown(String clear, String type) throws StorageException {
    try {
      mounts.grow(clear, type);
      return request.size();
    } catch (StorageException e) {
      LOG.warn("share {}: could not grow its filesystem: {}", request.volume(), e.getMessage());
      return Math.min(mounts.usableBytes(), request.size() - 1);
    }
  }

  private void removeFormer(ShareRecord record) throws StorageException {
    silence().begin(); // until the caller has started the server
    record.process().ifPresent(GaneshaServer::kill);
    server.stop();
    mounts.unmount(true);
  }

  /** A floating address comes last, because clients try the port as soon as it is there. */
  private void requireAddress(ShareRecord record) throws StorageException {
    HostAddresses addresses = new HostAddresses(node.host());
    if (!request.address().isFloating()) {
      addresses.requireLocal(request.address().ip());
    }
    if (record.process().filter(ProcessIdentity::isAlive).isEmpty()) {
      addresses.requireFree(request.address().ip(), request.port());
    }
  }

  /** Ends the server without a word to its clients, checks the filesystem, and starts again. */
  void repair() throws StorageException {
    ShareRecord record = mountedRecord();
    silence().begin();
    try {
      record.process().ifPresent(GaneshaServer::kill);
      server.stop();
      mounts.unmount(false);
      start();
    } finally {
      silence().end();
    }
  }

  void grow() throws StorageException {
    ShareRecord record = mountedRecord();
    device.grow(request.size(), record.encrypted());
    mounts.grow(record.device(), record.filesystem());
    node.records().write(record.mounted(record.device(), record.filesystem(), request.size()));
  }

  long trim() throws StorageException {
    return mounts.trim(mountedRecord().device());
  }

  private ShareRecord mountedRecord() throws StorageException {
    ShareRecord record =
        node.records()
            .find(request.volume())
            .filter(present -> present.epoch() == request.epoch())
            .orElseThrow(this::notMounted);
    if (mounts.exported().isEmpty()) {
      throw notMounted();
    }
    return record;
  }

  private StorageException notMounted() {
    return new StorageException(
        ErrorCode.INVALID,
        "share " + request.volume() + " is not mounted on this node: start it first");
  }
}
