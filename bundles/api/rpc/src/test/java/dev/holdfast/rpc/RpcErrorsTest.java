package dev.holdfast.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import io.grpc.Status;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class RpcErrorsTest {
  @Test
  void lostConnectionNamesItsCause() {
    Throwable cause = new IOException("failed", new ConnectException("Connection refused: node-2"));
    StorageException failure =
        RpcErrors.fromStatus(
            "node node-2",
            Status.UNAVAILABLE
                .withDescription("io exception")
                .withCause(cause)
                .asRuntimeException());
    assertThat(failure.code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(failure).hasMessage("node node-2: io exception: Connection refused: node-2");
  }

  @Test
  void callOnAConnectionThatClosesIsUnreachable() {
    StorageException failure =
        RpcErrors.fromStatus(
            "node node-2",
            Status.UNKNOWN
                .withDescription("channel closed")
                .withCause(new IOException("failed", new ClosedChannelException()))
                .asRuntimeException());
    assertThat(failure.code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(failure).hasMessage("node node-2: channel closed");
  }

  @Test
  void failureOfUnknownCauseStaysInternal() {
    StorageException failure =
        RpcErrors.fromStatus(
            "node node-2",
            Status.UNKNOWN.withCause(new IllegalStateException("a fault")).asRuntimeException());
    assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL);
  }

  @Test
  void causeThatSaysNothingMoreIsNotRepeated() {
    StorageException failure =
        RpcErrors.fromStatus(
            "node node-2",
            Status.UNAVAILABLE
                .withDescription("reset by peer")
                .withCause(new IOException("reset by peer"))
                .asRuntimeException());
    assertThat(failure).hasMessage("node node-2: reset by peer");
  }

  @Test
  void silentPeerIsSpokenOfInWordsThatAPersonKnows() {
    StorageException failure =
        RpcErrors.fromStatus(
            "replica r-1 on node node-2",
            Status.DEADLINE_EXCEEDED
                .withDescription(
                    "CallOptions deadline exceeded after 7.9s. Name resolution delay 0.0 seconds."
                        + " [closed=[], open=[[connecting_and_lb_delay=1ns]]]")
                .asRuntimeException());
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure).hasMessage("replica r-1 on node node-2: no answer in time");
    assertThat(failure.getCause()).hasMessageContaining("connecting_and_lb_delay");
  }

  @Test
  void whatAPeerItselfDidNotManageInTimeIsToldInItsWords() {
    StorageException failure =
        RpcErrors.fromStatus(
            "node node-2",
            RpcErrors.toStatus(new StorageException(ErrorCode.TIMEOUT, "the disk hangs")));
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(failure).hasMessage("node node-2: the disk hangs");
  }
}
