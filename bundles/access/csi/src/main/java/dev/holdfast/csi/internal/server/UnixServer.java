package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** gRPC services on a UNIX socket that only its owner can use. Thread-safe. */
public final class UnixServer implements AutoCloseable {
  private static final long GRACE_SECONDS = 2;

  private final Path socket;
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          1, (ThreadFactory) task -> daemon(task, "csi-io"), NioIoHandler.newFactory());
  private final ExecutorService calls =
      Executors.newCachedThreadPool(task -> daemon(task, "csi-call"));
  private final Server server;

  private UnixServer(Path socket, List<BindableService> services) {
    this.socket = socket;
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .executor(calls);
    services.forEach(builder::addService);
    server = builder.build();
  }

  /**
   * Starts a server, and replaces the socket of a killed process.
   *
   * @throws StorageException IO when the socket cannot be created
   */
  public static UnixServer start(Path socket, List<BindableService> services)
      throws StorageException {
    try {
      Files.createDirectories(socket.toAbsolutePath().getParent());
      if (!Files.isRegularFile(socket) && !Files.isDirectory(socket)) {
        Files.deleteIfExists(socket);
      }
    } catch (IOException e) {
      throw StorageException.io(socket.toString(), e);
    }
    UnixServer started = new UnixServer(socket, services);
    try {
      started.server.start();
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      return started;
    } catch (IOException e) {
      started.close();
      throw StorageException.io(socket.toString(), e);
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Lets running calls end for a short time, then stops the server. */
  @Override
  public void close() {
    server.shutdown();
    try {
      if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.shutdownNow();
    }
    calls.shutdown();
    var unused = loops.shutdownGracefully(0, GRACE_SECONDS, TimeUnit.SECONDS);
    try {
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      socket.toFile().deleteOnExit();
    }
  }
}
