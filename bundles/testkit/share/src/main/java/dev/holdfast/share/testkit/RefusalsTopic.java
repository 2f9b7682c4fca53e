package dev.holdfast.share.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareRequest;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

/** Requests that cannot be executed. After the removal of the share they leave no remains. */
abstract class RefusalsTopic {
  private final ShareServerKit kit;

  RefusalsTopic(ShareServerKit kit) {
    this.kit = kit;
  }

  @Test
  void shareThatIsNotMountedIsNeitherGrownNorTrimmed() {
    ShareRequest request = kit.lab().request();
    ShareServerKit.assertFails(
        "growth without a mount", ErrorCode.INVALID, () -> kit.server().grow(request));
    ShareServerKit.assertFails(
        "trim without a mount",
        ErrorCode.INVALID,
        () -> assertThat(kit.server().trim(request)).isNegative());
  }

  @Test
  void addressOfAnotherHostIsRefused() throws Exception {
    ShareRequest request = kit.lab().request().withAddress(ShareAddress.own("192.0.2.7"));
    ShareServerKit.assertFails(
        "address of another host",
        ErrorCode.INVALID,
        () -> kit.server().start(request, ShareServerKit.LIMIT));
    kit.server().expel(request.instance());
    kit.assertNothingIsLeft();
  }

  @Test
  void portOfAnotherProgramIsRefused() throws Exception {
    ShareRequest request = kit.lab().request();
    InetAddress address = InetAddress.getByName(request.address().ip());
    try (ServerSocket program = new ServerSocket(0, 1, address)) {
      ShareRequest busy = request.withPort(program.getLocalPort());
      ShareServerKit.assertFails(
          "port of another program",
          ErrorCode.BUSY,
          () -> kit.server().start(busy, ShareServerKit.LIMIT));
    }
    kit.server().expel(request.instance());
    kit.assertNothingIsLeft();
  }
}
