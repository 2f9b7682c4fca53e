package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data is never sent in clear where TLS is configured. */
@Timeout(30)
final class TlsSettingTest {
  private Optional<SocketPortal> portal = Optional.empty();

  @AfterEach
  void close() {
    portal.ifPresent(SocketPortal::close);
  }

  private URI show(EchoFrontend frontend, Map<String, String> properties) throws StorageException {
    SocketPortal started =
        new SocketPortal(
            new PortalSettings(
                name ->
                    Optional.ofNullable(
                        name.equals("holdfast.echo.port") ? "0" : properties.get(name))));
    portal = Optional.of(started);
    started.arrived(frontend);
    return started.publish("echo", "a", new IdleBlockDevice()).endpoint();
  }

  private static int answerInClear(URI endpoint) throws IOException {
    try (Socket client = new Socket(endpoint.getHost(), endpoint.getPort())) {
      client.getOutputStream().write(new byte[] {1, 'a'});
      return client.getInputStream().read();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"offer", "require"})
  void isRefusedByNameWhereTheFrontendHasNoTls(String mode) {
    assertThatThrownBy(() -> show(new EchoFrontend(false), Map.of("holdfast.echo.tls", mode)))
        .hasMessageContaining("holdfast.echo.tls is '" + mode + "'")
        .hasMessageContaining("echo has no TLS")
        .isInstanceOfSatisfying(
            StorageException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID));
  }

  @Test
  void frontendWithoutTlsIsShownWhereTlsIsNotRequested() throws Exception {
    assertThat(answerInClear(show(new EchoFrontend(false), Map.of()))).isEqualTo('a');
    close();
    URI off = show(new EchoFrontend(false), Map.of("holdfast.echo.tls", "off"));
    assertThat(answerInClear(off)).isEqualTo('a');
  }

  @Test
  void noFrontendGivesItsExportsAwayInClearWhereTlsIsRequired() throws Exception {
    URI required = show(new EchoFrontend(), Map.of("holdfast.echo.tls", "require"));
    assertThat(answerInClear(required)).isEqualTo(-1);
  }
}
