package dev.holdfast.nvme.host.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A target that violates the transport's rules ends its connection only. */
class HostileTargetTest {
  private static final int GREETING = 128;
  private static final int COMMAND = 72;
  private static final int DATA = 4_096;
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private ServerSocket listening;
  private Socket target;

  @BeforeEach
  void listen() throws IOException {
    listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void stop() throws IOException {
    timer.shutdownNow();
    listening.close();
    if (target != null) {
      target.close();
    }
  }

  private static ByteBuffer pdu(int type, int flags, int size, int dataOffset, int length) {
    ByteBuffer pdu = ByteBuffer.allocate(Math.max(size, 8)).order(ByteOrder.LITTLE_ENDIAN);
    pdu.put(0, (byte) type).put(1, (byte) flags).put(2, (byte) size);
    return pdu.put(3, (byte) dataOffset).putInt(4, length);
  }

  private static byte[] bytes(ByteBuffer pdu) {
    byte[] bytes = new byte[pdu.capacity()];
    pdu.get(0, bytes);
    return bytes;
  }

  private static byte[] greeting(Consumer<ByteBuffer> change) {
    ByteBuffer pdu = pdu(1, 0, GREETING, 0, GREETING).putInt(12, 65_536);
    change.accept(pdu);
    return bytes(pdu);
  }

  private static byte[] response(int id, int status) {
    ByteBuffer pdu = pdu(5, 0, 24, 0, 24);
    return bytes(pdu.putShort(20, (short) id).putShort(22, (short) (status << 1)));
  }

  /** Announces data without sending it. */
  private static byte[] data(int id, int offset, int length, int flags) {
    ByteBuffer pdu = pdu(7, flags, 24, 24, 24 + length);
    return bytes(pdu.putShort(8, (short) id).putInt(12, offset).putInt(16, length));
  }

  private static byte[] request(int id, int offset, int length) {
    ByteBuffer pdu = pdu(9, 0, 24, 0, 24);
    return bytes(pdu.putShort(8, (short) id).putInt(12, offset).putInt(16, length));
  }

  /** Plays the target until it has answered the first command. */
  private CompletableFuture<Void> play(byte[] greeting, byte[] answer) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            target = listening.accept();
            DataInputStream in = new DataInputStream(target.getInputStream());
            OutputStream out = target.getOutputStream();
            in.readFully(new byte[GREETING]);
            out.write(greeting);
            if (answer.length > 0) {
              in.readFully(new byte[COMMAND]);
              out.write(answer);
            }
            target.shutdownOutput();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> new Thread(task, "target").start());
  }

  private NvmeQueue open() throws StorageException {
    return NvmeQueue.open(
        "target",
        new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort()),
        4,
        0,
        LIMIT,
        timer,
        () -> {});
  }

  static Stream<Arguments> answers() {
    return Stream.of(
        Arguments.of("names command 7", response(7, 0)),
        Arguments.of("names command 3", response(3, 0)),
        Arguments.of("less data", response(0, 0)),
        Arguments.of("does not expect", data(0, 0, DATA + 1, 0)),
        Arguments.of("does not expect", data(0, 8, 8, 0)),
        Arguments.of("names command 9", data(9, 0, 8, 0)),
        Arguments.of("does not expect", data(0, 0, -1, 0)),
        Arguments.of("closed the connection", data(0, 0, 8, 0)),
        Arguments.of("requested data", request(0, 0, 1)),
        Arguments.of("requested data", request(0, -1, -1)),
        Arguments.of("PDU of type 2", bytes(pdu(2, 0, 24, 0, 24))),
        Arguments.of("PDU of type 5", bytes(pdu(5, 0, 20, 0, 24))),
        Arguments.of("header of 0 bytes", bytes(pdu(5, 0, 0, 0, 24))),
        Arguments.of("header of 255 bytes", bytes(pdu(5, 0, 255, 0, 24))),
        Arguments.of("PDU of type 7", bytes(pdu(7, 0, 24, 8, 32))),
        Arguments.of("ended the connection: 5", bytes(pdu(3, 0, 24, 0, 24).putShort(8, (short) 5))),
        Arguments.of("header of 24 bytes", bytes(pdu(3, 0, 24, 0, 1 << 30))),
        Arguments.of("closed the connection", new byte[] {5}));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void wrongAnswerFailsTheCommand(String problem, byte[] answer) throws Exception {
    CompletableFuture<Void> side = play(greeting(pdu -> {}), answer);
    try (NvmeQueue queue = open()) {
      CompletableFuture<StorageException> ended = new CompletableFuture<>();
      queue.submit(
          new NvmeCommand(2, (status, result, failure) -> ended.complete(failure))
              .receiving(ByteBuffer.allocateDirect(DATA)));
      StorageException failure = ended.get(20, TimeUnit.SECONDS);
      assertThat(failure).isNotNull().hasMessageContaining(problem);
      assertThat(failure.code()).isEqualTo(ErrorCode.UNREACHABLE);
    }
    side.get(20, TimeUnit.SECONDS);
  }

  static Stream<byte[]> greetings() {
    return Stream.of(
        greeting(pdu -> pdu.put(0, (byte) 5)),
        greeting(pdu -> pdu.putShort(8, (short) 1)),
        greeting(pdu -> pdu.put(11, (byte) 1)),
        greeting(pdu -> pdu.putInt(12, 512)),
        greeting(pdu -> pdu.putInt(12, -1)),
        greeting(pdu -> pdu.putInt(4, 200)),
        "HTTP/1.1 400 Bad Request\r\n".getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @MethodSource("greetings")
  void wrongGreetingIsRefused(byte[] greeting) throws Exception {
    CompletableFuture<Void> side = play(greeting, new byte[0]);
    StorageException refusal = catchThrowableOfType(StorageException.class, () -> open().close());
    assertThat(refusal).isNotNull().hasMessageContaining("could not connect");
    assertThat(refusal.code()).isEqualTo(ErrorCode.UNREACHABLE);
    side.get(20, TimeUnit.SECONDS);
  }

  @Test
  void statusOfTheTargetReachesTheCommand() throws Exception {
    CompletableFuture<Void> side = play(greeting(pdu -> {}), response(0, 0x281));
    try (NvmeQueue queue = open()) {
      CompletableFuture<Integer> ended = new CompletableFuture<>();
      queue.submit(new NvmeCommand(2, (status, result, failure) -> ended.complete(status)));
      assertThat(ended.get(20, TimeUnit.SECONDS)).isEqualTo(0x281);
    }
    side.get(20, TimeUnit.SECONDS);
  }
}
