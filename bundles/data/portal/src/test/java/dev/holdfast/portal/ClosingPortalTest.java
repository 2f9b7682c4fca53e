package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.portal.internal.transport.PortalLimits;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A portal that closes while a call into a frontend does not end. */
@Timeout(60)
class ClosingPortalTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration GRACE = Duration.ofSeconds(20);

  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final SocketPortal portal =
      new SocketPortal(
          new PortalSettings(
              name -> Optional.ofNullable(Map.of("holdfast.echo.port", "0").get(name))),
          PortalLimits.of(8, 64, 4 << 20, 64 << 20, LONG, LONG, GRACE));

  ClosingPortalTest() throws StorageException {}

  @AfterEach
  void stop() {
    goOn.countDown();
    portal.close();
    executor.shutdown();
  }

  /** The echo frontend, with sessions that do not return from a call. */
  private FrontendProvider frontend() {
    EchoFrontend echo = new EchoFrontend();
    return (FrontendProvider)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {FrontendProvider.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "open" -> session(echo.open((FrontendConnection) arguments[0]));
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> method.invoke(echo, arguments);
                });
  }

  private FrontendSession session(FrontendSession session) {
    return (FrontendSession)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {FrontendSession.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("received")) {
                arrived.countDown();
                goOn.await();
              }
              return method.invoke(session, arguments);
            });
  }

  private static void awaitRefusal(URI endpoint) {
    boolean listens = true;
    while (listens) {
      try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
        listens = socket.isConnected();
      } catch (IOException e) {
        listens = false;
      }
    }
  }

  @Test
  void portalReportsItsPartsAndRejectsExportsWhileAConnectionEnds() throws Exception {
    portal.arrived(frontend());
    URI endpoint = portal.publish("echo", "a", new IdleBlockDevice()).endpoint();
    try (Socket client = new Socket(endpoint.getHost(), endpoint.getPort())) {
      client.getOutputStream().write(new byte[] {1, 'a'});
      arrived.await();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(portal::close, executor);
      awaitRefusal(endpoint);

      assertThat(portal.parts()).hasSize(1);
      assertThatThrownBy(() -> portal.publish("echo", "b", new IdleBlockDevice()))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
      assertThat(closing).isNotDone();

      goOn.countDown();
      closing.get();
    }
  }
}
