package dev.holdfast.http.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.HttpLimits;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of HTTP/2 that send frames by hand. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FrameFloodTest {
  private static final int FRAMES = 5000;
  private static final int FEW = 20;
  private static final int PATIENCE_MILLIS = 5_000;

  /** Index fields of RFC 7541 for GET, https and the path "/". */
  private static final byte[] HEADERS = {(byte) 0x82, (byte) 0x87, (byte) 0x84};

  private static final int END_OF_BOTH = 0x5;
  private static final int END_OF_HEADERS = 0x4;

  /** A literal header "a: b" without indexing. */
  private static final byte[] HEADER = {0, 1, 'a', 1, 'b'};

  @TempDir Path directory;
  private TestRouter router;
  private NettyHttpServer server;

  @BeforeEach
  void start() throws Exception {
    router = new TestRouter(directory);
    server = router.start(HttpLimits.DEFAULT);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private SSLSocket connect() throws Exception {
    SSLSocket socket =
        (SSLSocket)
            router
                .clientTls()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] content)
      throws IOException {
    out.writeByte(content.length >> 16);
    out.writeShort(content.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(content);
  }

  private interface Flood {
    void send(DataOutputStream out, int number) throws IOException;
  }

  /** Sends frames until the server ends the connection. */
  private boolean isEnded(Flood flood) throws Exception {
    try (SSLSocket socket = connect()) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      frame(out, Http2FrameTypes.SETTINGS, 0, 0, new byte[0]);
      for (int i = 0; i < FRAMES; i++) {
        flood.send(out, i);
      }
      out.flush();
      return socket.getInputStream().readAllBytes().length >= Http2CodecUtil.FRAME_HEADER_LENGTH;
    } catch (SocketTimeoutException e) {
      // The connection is still open.
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private void assertServes() throws Exception {
    try (RawClient client = new RawClient(server.port(), router.clientTls())) {
      assertThat(client.ask("GET /live HTTP/1.1\r\nConnection: close\r\n\r\n")).endsWith("ok");
    }
  }

  @Test
  void floodOfResetStreamsEndsTheConnection() throws Exception {
    assertThat(
            isEnded(
                (out, i) -> {
                  frame(out, Http2FrameTypes.HEADERS, END_OF_BOTH, 1 + 2 * i, HEADERS);
                  frame(out, Http2FrameTypes.RST_STREAM, 0, 1 + 2 * i, new byte[] {0, 0, 0, 8});
                }))
        .isTrue();
    assertServes();
  }

  @Test
  void floodOfPingsEndsTheConnection() throws Exception {
    assertThat(isEnded((out, i) -> frame(out, Http2FrameTypes.PING, 0, 0, new byte[8]))).isTrue();
    assertServes();
  }

  @Test
  void floodOfSettingsEndsTheConnection() throws Exception {
    assertThat(isEnded((out, i) -> frame(out, Http2FrameTypes.SETTINGS, 0, 0, new byte[0])))
        .isTrue();
    assertServes();
  }

  @Test
  void fewFramesLeaveTheConnectionOpen() throws Exception {
    assertThat(
            isEnded(
                (out, i) -> {
                  if (i < FEW) {
                    frame(out, Http2FrameTypes.PING, 0, 0, new byte[8]);
                  }
                }))
        .isFalse();
  }

  @Test
  void floodOfEmptyDataEndsTheConnection() throws Exception {
    assertThat(
            isEnded(
                (out, i) -> {
                  if (i == 0) {
                    frame(out, Http2FrameTypes.HEADERS, END_OF_HEADERS, 1, HEADERS);
                  }
                  frame(out, Http2FrameTypes.DATA, 0, 1, new byte[0]);
                }))
        .isTrue();
    assertServes();
  }

  @Test
  void headersWithoutEndEndTheConnection() throws Exception {
    assertThat(
            isEnded(
                (out, i) ->
                    frame(
                        out,
                        i == 0 ? Http2FrameTypes.HEADERS : Http2FrameTypes.CONTINUATION,
                        0,
                        1,
                        i == 0 ? HEADERS : HEADER)))
        .isTrue();
    assertServes();
  }
}
