package dev.holdfast.share.nfs.internal;

import dev.holdfast.host.Host;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareFilesystem;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareSquash;
import dev.holdfast.share.ShareStop;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** A node with a server of shares over loop devices, for tests on a host with root rights. */
final class ShareFixture {
  static final Duration LIMIT = Duration.ofSeconds(60);
  static final long SIZE = 256L << 20;

  private final Path data;
  private Host host;
  private NfsShareServer server;

  ShareFixture(Path data) throws Exception {
    this(data, new LocalHost());
  }

  ShareFixture(Path data, Host host) throws Exception {
    this.data = data;
    this.host = host;
    this.server = open();
  }

  private NfsShareServer open() throws Exception {
    NfsShareServer opened = new NfsShareServer(data, Path.of("/run/holdfast/share-nfs-test"), host);
    ServiceLoader.load(InitiatorProvider.class).forEach(opened::addProvider);
    return opened;
  }

  NfsShareServer server() {
    return server;
  }

  /** Replaces the bundle: the servers stay. */
  void replace() throws Exception {
    server.close();
    reopen();
  }

  /** Starts the next bundle after the former one was closed. */
  void reopen() throws Exception {
    server = open();
  }

  /** Replaces the bundle. One program always fails on the host of the new bundle. */
  void failing(String program) throws Exception {
    host = new FailingProgram(new LocalHost(), program);
    replace();
  }

  static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  static ShareRequest request(String volume, LoopDevice device) throws Exception {
    return request(volume, device.endpoint());
  }

  static ShareRequest request(String volume, URI endpoint) throws Exception {
    return new ShareRequest(
        volume,
        "3f0c9a52-0000-4000-8000-00000000a11c",
        1,
        endpoint,
        SIZE,
        ShareFilesystem.DEFAULT,
        Optional.empty(),
        ShareAddress.own("127.0.0.1"),
        freePort(),
        List.of(AllowedClient.of("127.0.0.1")),
        ShareSquash.NONE,
        Duration.ofSeconds(2),
        Duration.ofSeconds(3));
  }

  ShareObservation start(ShareRequest request) throws Exception {
    server.start(request, LIMIT);
    return observe(request);
  }

  ShareObservation observe(ShareRequest request) throws Exception {
    return server.observe(request, Duration.ofSeconds(10));
  }

  /**
   * Waits for the end of the grace period, because the client of these tests does not repeat
   * requests.
   */
  void awaitGrace(ShareRequest request) throws Exception {
    if (!HostCondition.holds(LIMIT, () -> !server.observe(request, LIMIT).inGrace())) {
      throw new IllegalStateException("grace does not end");
    }
  }

  static NfsClient client(ShareRequest request) {
    return new NfsClient(request.address().ip(), request.port(), request.volume());
  }

  /** Stops the servers that a failed test left. */
  void close() throws Exception {
    for (var instance : server.instances()) {
      server.stop(instance, ShareStop.END, LIMIT);
    }
    server.close();
  }
}
