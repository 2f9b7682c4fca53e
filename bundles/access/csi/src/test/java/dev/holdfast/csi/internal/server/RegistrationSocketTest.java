package dev.holdfast.csi.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.v1.PluginRegistration;
import dev.holdfast.csi.v1.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test acts as a kubelet: it watches the folder, and calls each new socket. */
class RegistrationSocketTest {
  private static final String ENDPOINT = "/plugins/csi.sock";

  @TempDir Path folder;

  @Test
  void socketIsCreatedAgainUntilTheKubeletRegistersTheDriver() throws Exception {
    Path path = folder.resolve("reg.sock");
    try (WatchService watch = folder.getFileSystem().newWatchService()) {
      WatchKey made = folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      RegistrationSocket socket = RegistrationSocket.open(path, ENDPOINT, 1);
      try {
        for (int refusal = 0; refusal < 3; refusal++) {
          awaitMade(watch, made);
          answer(path, false);
        }
        awaitMade(watch, made);

        assertThat(ask(path, stub -> stub.getInfo(info())).getEndpoint()).isEqualTo(ENDPOINT);
        answer(path, true);
      } finally {
        socket.close();
      }
      assertThat(path).doesNotExist();
    }
  }

  private static void awaitMade(WatchService watch, WatchKey made) throws InterruptedException {
    WatchKey seen = watch.poll(30, TimeUnit.SECONDS);
    assertThat(seen).as("a socket is made").isEqualTo(made);
    assertThat(seen.pollEvents()).isNotEmpty();
    assertThat(seen.reset()).isTrue();
  }

  private static PluginRegistration.InfoRequest info() {
    return PluginRegistration.InfoRequest.getDefaultInstance();
  }

  private static void answer(Path path, boolean registered) {
    PluginRegistration.RegistrationStatus status =
        PluginRegistration.RegistrationStatus.newBuilder().setPluginRegistered(registered).build();
    ask(path, stub -> stub.notifyRegistrationStatus(status));
  }

  private static <T> T ask(
      Path path, Function<RegistrationGrpc.RegistrationBlockingStub, T> question) {
    MultiThreadIoEventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(path))
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(loops)
            .usePlaintext()
            .build();
    try {
      return question.apply(
          RegistrationGrpc.newBlockingStub(channel)
              .withWaitForReady()
              .withDeadlineAfter(30, TimeUnit.SECONDS));
    } finally {
      channel.shutdownNow();
      var unused = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }
}
