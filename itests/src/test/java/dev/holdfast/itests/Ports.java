package dev.holdfast.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * The ports of one node, free a moment ago.
 *
 * @param api of the API server
 * @param nbd of the NBD frontend
 * @param ssh of the Karaf shell
 * @param rpc of the calls between nodes
 * @param replica of the bytes between nodes
 */
record Ports(int api, int nbd, int ssh, int rpc, int replica) {
  static Ports free() {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      Ports ports =
          new Ports(
              held.get(0).getLocalPort(),
              held.get(1).getLocalPort(),
              held.get(2).getLocalPort(),
              held.get(3).getLocalPort(),
              held.get(4).getLocalPort());
      for (ServerSocket socket : held) {
        socket.close();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
