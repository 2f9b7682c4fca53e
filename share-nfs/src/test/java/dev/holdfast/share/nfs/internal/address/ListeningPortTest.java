package dev.holdfast.share.nfs.internal.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

/** Ports of real sockets in the kernel's tables. */
class ListeningPortTest {
  private static final String ADDRESS = "127.0.0.1";
  private static final String OTHER = "127.0.0.2";

  @Test
  void serverOfOneAddressListensThereOnly() throws Exception {
    int port;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = server.getLocalPort();
      assertThat(ListeningPort.isOpen(ADDRESS, port)).isTrue();
      assertThat(ListeningPort.isOpen(OTHER, port)).isFalse();
    }
    assertThat(ListeningPort.isOpen(ADDRESS, port)).isFalse();
  }

  @Test
  void serverOfAllAddressesListensAtEach() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      assertThat(ListeningPort.isOpen(ADDRESS, server.getLocalPort())).isTrue();
      assertThat(ListeningPort.isOpen(OTHER, server.getLocalPort())).isTrue();
    }
  }
}
