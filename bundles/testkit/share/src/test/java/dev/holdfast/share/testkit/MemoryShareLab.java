package dev.holdfast.share.testkit;

import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareFilesystem;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.share.ShareSquash;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A host in memory. */
final class MemoryShareLab implements ShareServerLab {
  private final Map<String, ShareRequest> host = new TreeMap<>();
  private final MemoryShareServer.Defect defect;
  private final ShareRequest request;
  private ShareServer server;

  MemoryShareLab(MemoryShareServer.Defect defect) throws IOException {
    this.defect = defect;
    this.server = new MemoryShareServer(host, defect);
    this.request =
        new ShareRequest(
            "v1",
            "3f0c9a52-0000-4000-8000-00000000a11c",
            1,
            URI.create("memory:v1"),
            1 << 20,
            ShareFilesystem.DEFAULT,
            Optional.empty(),
            ShareAddress.own("127.0.0.1"),
            freePort(),
            List.of(AllowedClient.of("127.0.0.1")),
            ShareSquash.NONE,
            Duration.ofSeconds(2),
            Duration.ofSeconds(3));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Override
  public ShareServer server() {
    return server;
  }

  @Override
  public void replace() {
    server = new MemoryShareServer(host, defect);
  }

  @Override
  public ShareRequest request() {
    return request;
  }

  @Override
  public List<String> leftovers() {
    return List.copyOf(host.keySet());
  }

  @Override
  public void close() {
    host.clear();
  }
}
