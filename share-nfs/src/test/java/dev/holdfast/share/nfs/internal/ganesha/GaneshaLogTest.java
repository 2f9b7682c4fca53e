package dev.holdfast.share.nfs.internal.ganesha;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class GaneshaLogTest {
  private static final String AT = "28/11/2026 04:51:45 : epoch 6b0a : vm : nfs-ganesha-1[main] ";
  private static final String START =
      AT + "main :MAIN :EVENT :nfs-ganesha Starting: Ganesha Version 4.3";

  @Test
  void addressInUseIsToldAsSuch() {
    var failure =
        GaneshaLog.failure(
            "v1",
            List.of(
                START,
                AT + "Bind_sockets_V6 :DISP :FATAL :Error binding to V6 interface.",
                AT + "x :DISP :EVENT :later"));
    assertThat(failure.code()).isEqualTo(ErrorCode.BUSY);
    assertThat(failure)
        .hasMessage(
            "share v1: Ganesha ended, because its address or port cannot be used:"
                + " DISP :FATAL :Error binding to V6 interface.");
  }

  @Test
  void earlierStartsDoNotCount() {
    List<String> lines =
        List.of(
            START, AT + "c :CONFIG :WARN :Unknown parameter (X)", START, AT + "b :A :EVENT :ok");
    assertThat(GaneshaLog.unknownParameter(lines)).isEmpty();
    assertThat(GaneshaLog.unknownParameter(lines.subList(0, 2)))
        .contains("CONFIG :WARN :Unknown parameter (X)");
    assertThat(GaneshaLog.summary(lines)).isEqualTo("A :EVENT :ok");
  }
}
